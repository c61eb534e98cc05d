import { DeployError, type ErrorCode } from '../../../functions/core/errors.ts';
import type { AppRef } from '../../../functions/core/ports/platform.ts';
import { oneLine } from '../../../functions/core/text.ts';
import { HttpError, isMissing, messageOf, sentenceOf } from '../../http/http-error.ts';
import type { AppId } from '../../runner/calls.ts';
import type { PortParts } from './parts.ts';

/** The error of the service for a call that fails. */
interface CallFailure {
  readonly code: ErrorCode;
  /** Names the call in sentences: `the upload of 1.0.0-7`. */
  readonly what: string;
  /** Codes of refusals whose own sentence is enough. */
  readonly refusals?: Readonly<Record<number, ErrorCode>>;
  /** Whether a failure is that of the application, so that its own sentence is enough and a retry cannot help. */
  readonly isOwn?: true;
}

/** A call about an application. */
export interface AppCall extends CallFailure {
  readonly app: AppRef;
}

/** Does the work of calls. Throws a `DeployError` for what cannot be done. */
export interface Calls {
  /** For a user, who is served. */
  forUser<T>(user: string, failure: CallFailure, work: () => Promise<T>): Promise<T>;
  /** For an application that there may not be yet. */
  forAny<T>(call: AppCall, work: (app: AppId) => Promise<T>): Promise<T>;
  /** For an application that there is. */
  of<T>(call: AppCall, work: (app: AppId) => Promise<T>): Promise<T>;
  /** As `of`; null when there is no such application, or not what the call is about. */
  find<T>(call: AppCall, work: (app: AppId) => Promise<T>): Promise<T | null>;
}

export function portCalls({ users, apps, closing, log }: PortParts): Calls {
  const forUser: Calls['forUser'] = async (user, failure, work) => {
    try {
      if (closing.aborted) throw new HttpError(503, 'The platform stops; try again.');
      await users.check(user);
      return await work();
    } catch (error) {
      const known = error instanceof HttpError || error instanceof DeployError ? error.cause : error;
      if (known !== undefined) log({ type: 'platform.error', detail: messageOf(known) });
      throw deployError(failure, error);
    }
  };
  const forAny: Calls['forAny'] = ({ app, ...failure }, work) => forUser(app.user, failure, () => work(app));
  const of: Calls['of'] = (call, work) =>
    forAny(call, async (app) => {
      await apps.get(app);
      return work(app);
    });
  const find: Calls['find'] = async (call, work) => {
    try {
      return await of(call, work);
    } catch (error) {
      if (error instanceof DeployError && isMissing(error.cause)) return null;
      throw error;
    }
  };
  return { forUser, forAny, of, find };
}

const MOST_SENTENCE_CHARACTERS = 400;
const MOST_LOG_LINES = 100;
const MOST_LINE_CHARACTERS = 1000;

function deployError({ code, what, refusals, isOwn }: CallFailure, error: unknown): DeployError {
  if (error instanceof DeployError) return error;
  const { status, log } = error instanceof HttpError ? error : { status: 500, log: [] };
  const sentence = shownSentence(sentenceOf(error)) ?? 'no reason given';
  const passedOn = refusals?.[status];
  if (passedOn) {
    const wait = passedOn === 'request:throttled' ? { retryAfter: 1 } : {};
    return new DeployError(passedOn, sentence, { ...wait, cause: error });
  }
  const isAway = status === 503;
  if (isAway && code === 'request:failed') return new DeployError('request:unavailable', sentence, { cause: error });
  const isFinal = isOwn === true && status === 500;
  return new DeployError(code, isFinal || isAway ? sentence : `The platform refused ${what}: ${sentence}`, {
    retry: !isFinal && status >= 500,
    logTail: shownLog(log),
    cause: error,
  });
}

/** Returns a sentence of the platform as one line of limited length; null when nothing is left. */
export function shownSentence(text: string): string | null {
  return oneLine(text, MOST_SENTENCE_CHARACTERS);
}

/** Returns the last lines of what was printed, each of limited length. */
export function shownLog(lines: readonly string[] = []): readonly string[] {
  return lines
    .filter((line) => line !== '')
    .slice(-MOST_LOG_LINES)
    .map((line) => line.slice(0, MOST_LINE_CHARACTERS));
}
