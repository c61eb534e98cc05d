import { DeployError } from '../../../../core/errors.ts';
import { requiredText } from '../../provider/answers.ts';
import { textLines } from '../../provider/text-lines.ts';
import type { HerokuParts } from '../parts.ts';

const CODE = 'request:failed';
const READ_TIMEOUT_MS = 10_000;
/** As many as Heroku keeps. https://devcenter.heroku.com/articles/logging#log-history-limits */
const KEPT_LINES = 1500;
/** Repeated when a log is followed, so that no line between the last lines and the stream is missed. */
const LINES_BEFORE_FOLLOWING = 200;

/** A line of an app's log: `2026-01-01T12:00:00.123456+00:00 app[web.1]: listening`. */
export interface LogLine {
  /** RFC 3339, in UTC. */
  readonly at: string;
  /** `app[web.1]`, `heroku[web.1]`, `heroku[router]`, `app[api]`. */
  readonly source: string;
  readonly line: string;
}

/** Whether a line is the application's own. */
export function isOwn({ source }: LogLine): boolean {
  return source.startsWith('app[') && source !== 'app[api]';
}

/** An address at which a log can be read without a login, and the time of its creation, by Heroku's clock. */
export interface LogSession {
  readonly address: string;
  readonly at: string;
}

/** Creates a log session: of the last lines, or with `tail` of some of them and all new ones. */
export async function openLog(run: string, tail: boolean, { api }: HerokuParts): Promise<LogSession> {
  const path = ['apps', run, 'log-sessions'];
  const json = { lines: tail ? LINES_BEFORE_FOLLOWING : KEPT_LINES, tail };
  const { body } = await api({ method: 'POST', path, json, code: CODE, what: 'the output of the application' });
  return { address: requiredText(body, 'logplex_url', CODE), at: requiredText(body, 'created_at', CODE) };
}

/** Returns the last lines of an app's log, oldest first. */
export async function lastLogLines(run: string, parts: HerokuParts): Promise<readonly LogLine[]> {
  const session = await openLog(run, false, parts);
  const lines: LogLine[] = [];
  for await (const batch of readLog(session, AbortSignal.timeout(READ_TIMEOUT_MS), parts)) {
    lines.push(...batch);
    if (lines.length > KEPT_LINES) lines.splice(0, lines.length - KEPT_LINES);
  }
  return lines;
}

/** Yields the lines of a session as they arrive. The address is a secret, so no error quotes it. */
export async function* readLog(
  { address }: LogSession,
  signal: AbortSignal,
  { fetch }: HerokuParts,
): AsyncGenerator<readonly LogLine[]> {
  try {
    const response = await fetch(address, { signal });
    if (!response.ok || !response.body) throw new Error(`The log answered ${response.status}.`);
    for await (const lines of textLines(response.body)) yield lines.flatMap((line) => logLineIn(line) ?? []);
  } catch {
    if (signal.aborted) return;
    throw new DeployError(CODE, 'Heroku did not give the output of the application; try again.', { retry: true });
  }
}

function logLineIn(text: string): LogLine | null {
  const [, time = '', source, line] = /^(\S+) ([\w-]+\[[^\]]*\]): ?(.*)$/.exec(text) ?? [];
  const at = Date.parse(time);
  if (source === undefined || line === undefined || Number.isNaN(at)) return null;
  return { at: new Date(at).toISOString(), source, line };
}
