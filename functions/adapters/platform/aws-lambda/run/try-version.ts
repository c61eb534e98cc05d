import { randomUUID } from 'node:crypto';
import { posix } from 'node:path';
import { FilterLogEventsCommand, type FilterLogEventsCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import { InvokeCommand, type InvokeCommandOutput } from '@aws-sdk/client-lambda';
import { DeployError } from '../../../../core/errors.ts';
import { isObject } from '../../../../core/json.ts';
import { jsonIn } from '../../../../core/json-value.ts';
import { type Exit, lastError, printedPort, whyItEnded } from '../../../../core/output/diagnosis.ts';
import { oneLine } from '../../../../core/text.ts';
import { logGroupOf } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { isEndOfInstance, isOfLambda } from './app-log.ts';
import { PORT } from './environment.ts';

/** Below the timeout of the stage, which has to write the outcome too. */
const ANSWER_LIMIT_MS = 60_000;
const LOG_TRIES = 4;
/** More are not read of what a version has printed. */
const MOST_LINES = 1000;
const LOG_PAUSE_MS = 1_000;
const MAX_LOG_LINES = 100;

/** The application's folder in the unpacked release: see `build-application.sh`. */
const ROOT = '/var/task/app';
const MAX_REASON_LENGTH = 400;
/** https://docs.aws.amazon.com/lambda/latest/dg/response-streaming-tutorial.html */
const PRELUDE_END = '\0'.repeat(8);

/** What a version is tried with. */
type TrialParts = Pick<LambdaPlatformParts, 'lambda' | 'logs' | 'clock'>;

export interface Candidate {
  readonly name: string;
  readonly version: string;
  /** The folder of the application in its repository; empty for the root. */
  readonly path: string;
  /** Time limit for the first answer; default 60 seconds. */
  readonly limitMs?: number;
}

/**
 * Sends a request to a version that has no traffic yet. Throws `deploy:platform:start_app`, with what the application
 * printed, when it ends, does not answer within a minute, or answers 500 or more.
 */
export async function tryVersion(candidate: Candidate, parts: TrialParts): Promise<void> {
  const { name, version, path, limitMs = ANSWER_LIMIT_MS } = candidate;
  const folder = posix.join(ROOT, path);
  const since = parts.clock.now();
  const command = new InvokeCommand({
    FunctionName: name,
    Qualifier: version,
    InvocationType: 'RequestResponse',
    LogType: 'Tail',
    Payload: Buffer.from(JSON.stringify(getRoot(since))),
  });
  const signal = AbortSignal.timeout(limitMs);
  const answer = await parts.lambda.send(command, { abortSignal: signal }).catch((error: unknown) => {
    if (signal.aborted) return null;
    throw error;
  });
  if (answer && isGood(answer)) return;
  const tail = tailOf(answer?.LogResult);
  const printed = tail.length > 0 ? tail : await loggedSince(name, since, parts);
  const [reason = '', ...logTail] = [reasonOf(answer ?? limitMs, printed, folder), ...printed].map(inApplication);
  throw new DeployError('deploy:platform:start_app', reason, { retry: false, logTail });
}

function isGood({ FunctionError, Payload }: InvokeCommandOutput): boolean {
  const { statusCode } = parsed(Payload);
  return FunctionError === undefined && typeof statusCode === 'number' && statusCode < 500;
}

/** Returns a sentence about what is wrong, in the words of the embedded platform. */
function reasonOf(answer: InvokeCommandOutput | number, lines: readonly string[], folder: string): string {
  if (typeof answer === 'number') {
    const port = printedPort(lines);
    const other =
      port === undefined || port === PORT ? '' : `; it prints port ${port}, and must listen on that in PORT`;
    return `The application did not answer GET / within ${answer / 1000} s${other}.`;
  }
  const { statusCode, errorMessage } = parsed(answer.Payload);
  if (answer.FunctionError === undefined) {
    if (typeof statusCode !== 'number') return 'The application gave no answer to GET / that Lambda understands.';
    const error = lastError(lines, folder);
    return `The application answered ${statusCode} to GET /${error === undefined ? '' : `: ${error}`}.`;
  }
  const [, timeout] = /Task timed out after (\d+)/.exec(String(errorMessage)) ?? [];
  if (timeout !== undefined) return `The application did not answer GET / within ${timeout} s.`;
  const message = typeof errorMessage === 'string' ? errorMessage.replace(/^RequestId: \S+ /, '') : '';
  const exit = exitIn(message);
  if (exit) return oneLine(whyItEnded(lines, exit, folder), MAX_REASON_LENGTH) ?? '';
  return `The application ended before it answered: ${oneLine(message, MAX_REASON_LENGTH) ?? 'Lambda gave no reason.'}`;
}

/**
 * Returns how a process ended, from Lambda's words: `Runtime exited with error: exit status 1`, or `signal: killed`, or
 * `Runtime exited without providing a reason`, which is the code 0.
 */
function exitIn(message: string): Exit | null {
  if (/Runtime exited without providing a reason/.test(message)) return { code: 0, signal: null };
  const [, code, signal] = /Runtime exited with error: (?:exit status (\d+)|signal: (\w+))/.exec(message) ?? [];
  if (code !== undefined) return { code: Number(code), signal: null };
  return signal === undefined ? null : { code: null, signal };
}

/** Paths relative to the application, as its author knows them. */
function inApplication(line: string): string {
  return line.replaceAll(`${ROOT}/`, '');
}

/** Parses the head of a streamed answer: status and headers as JSON, then eight NULs before the body. */
function parsed(payload: Uint8Array | undefined): Readonly<Record<string, unknown>> {
  const [head = ''] = Buffer.from(payload ?? [])
    .toString('utf8')
    .split(PRELUDE_END, 1);
  const value = jsonIn(head);
  return isObject(value) ? value : {};
}

function isPrinted(line: string): boolean {
  return line.trim() !== '' && !isOfLambda(line) && !isEndOfInstance(line);
}

/** The last 4 KB of what the call logged, in base64. */
function tailOf(logResult: string | undefined): readonly string[] {
  const lines = Buffer.from(logResult ?? '', 'base64')
    .toString('utf8')
    .split(/\r?\n/);
  return lines.filter(isPrinted).slice(-MAX_LOG_LINES);
}

/**
 * Returns what was printed outside of the invocation, such as a crash at start; it reaches the log some seconds later.
 */
async function loggedSince(name: string, startTime: number, parts: TrialParts): Promise<readonly string[]> {
  for (let tries = 0; tries < LOG_TRIES; tries += 1) {
    const lines = await firstLines({ logGroupName: logGroupOf(name), startTime, limit: MOST_LINES }, parts).catch(
      () => [],
    );
    const printed = lines.filter(isPrinted);
    if (printed.length > 0) return printed.slice(-MAX_LOG_LINES);
    await parts.clock.sleep(LOG_PAUSE_MS);
  }
  return [];
}

/** A page of a log may be empty although more follow: only one without a token is the last. */
async function firstLines(input: FilterLogEventsCommandInput, { logs }: TrialParts): Promise<readonly string[]> {
  const lines: string[] = [];
  let nextToken: string | undefined;
  do {
    const page = await logs.send(new FilterLogEventsCommand({ ...input, ...(nextToken && { nextToken }) }));
    lines.push(...(page.events ?? []).map(({ message = '' }) => message.trimEnd()));
    nextToken = page.nextToken;
  } while (nextToken && lines.length < MOST_LINES);
  return lines;
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
