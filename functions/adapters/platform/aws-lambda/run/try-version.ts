import { randomUUID } from 'node:crypto';
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import { DeployError } from '../../../../core/errors.ts';
import { isObject } from '../../../../core/json.ts';
import { oneLine } from '../../../../core/text.ts';
import { logGroupOf } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { isOfLambda } from './log-lines.ts';

/** Below the timeout of the stage, which has to write the outcome too. */
const ANSWER_LIMIT_MS = 60_000;
const LOG_TRIES = 4;
const LOG_PAUSE_MS = 1_000;
const MAX_LOG_LINES = 100;

/**
 * Sends a request to a version that has no traffic yet. Throws `deploy:platform:start_app`, with what the application
 * printed, when it ends, does not answer within a minute, or answers 500 or more.
 */
export async function tryVersion(name: string, version: string, parts: LambdaPlatformParts): Promise<void> {
  const since = parts.clock.now();
  const command = new InvokeCommand({
    FunctionName: name,
    Qualifier: version,
    InvocationType: 'RequestResponse',
    LogType: 'Tail',
    Payload: Buffer.from(JSON.stringify(getRoot(since))),
  });
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  const answer = await parts.lambda.send(command, { abortSignal: signal }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  const failure = answer ? failureOf(answer) : `It did not answer within ${ANSWER_LIMIT_MS / 1000} seconds.`;
  if (failure === null) return;
  const logTail = tailOf(answer?.LogResult);
  throw new DeployError('deploy:platform:start_app', `The application does not start. ${failure}`, {
    retry: false,
    logTail: logTail.length > 0 ? logTail : await loggedSince(name, since, parts),
  });
}

/** Returns a sentence about what is wrong with an answer, or null. */
function failureOf({ FunctionError, Payload }: InvokeCommandOutput): string | null {
  const answer = parsed(Payload);
  if (FunctionError !== undefined) {
    const message = typeof answer.errorMessage === 'string' ? oneLine(answer.errorMessage, 300) : null;
    return message === null ? 'It ended before it answered.' : `It ended before it answered: ${message}`;
  }
  const { statusCode } = answer;
  if (typeof statusCode === 'number' && statusCode < 500) return null;
  return typeof statusCode === 'number'
    ? `It answers / with ${statusCode}.`
    : 'It gives no answer that Lambda understands.';
}

function parsed(payload: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(Buffer.from(payload ?? []).toString('utf8'));
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The last 4 KB of what the call logged, in base64. */
function tailOf(logResult: string | undefined): readonly string[] {
  const lines = Buffer.from(logResult ?? '', 'base64')
    .toString('utf8')
    .split(/\r?\n/);
  return lines.filter((line) => line.trim() !== '' && !isOfLambda(line)).slice(-MAX_LOG_LINES);
}

/** What was printed before the call counts, an end at start above all, is only in the log, some seconds later. */
async function loggedSince(name: string, startTime: number, parts: LambdaPlatformParts): Promise<readonly string[]> {
  for (let tries = 0; tries < LOG_TRIES; tries += 1) {
    const { events = [] } = await parts.logs
      .send(new FilterLogEventsCommand({ logGroupName: logGroupOf(name), startTime, limit: 1000 }))
      .catch(() => ({ events: [] }));
    const lines = events.map(({ message = '' }) => message.trimEnd());
    const own = lines.filter((line) => line !== '' && !isOfLambda(line));
    if (own.length > 0) return own.slice(-MAX_LOG_LINES);
    await parts.clock.sleep(LOG_PAUSE_MS);
  }
  return [];
}

/**
 * Returns the event of a function URL for `GET /`: https://docs.aws.amazon.com/lambda/latest/dg/urls-invocation.html
 */
function getRoot(now: number) {
  const userAgent = 'deployment-webhooks';
  const domainName = 'localhost';
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: '/',
    rawQueryString: '',
    headers: { host: domainName, 'user-agent': userAgent, accept: '*/*', 'x-forwarded-proto': 'https' },
    requestContext: {
      accountId: 'anonymous',
      apiId: 'start',
      domainName,
      domainPrefix: 'start',
      http: { method: 'GET', path: '/', protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent },
      requestId: randomUUID(),
      routeKey: '$default',
      stage: '$default',
      time: new Date(now).toUTCString(),
      timeEpoch: now,
    },
    isBase64Encoded: false,
  };
}
