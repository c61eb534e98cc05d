import {
  type CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DeleteSubscriptionFilterCommand,
  PutLogEventsCommand,
  PutRetentionPolicyCommand,
  PutSubscriptionFilterCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import type { Clock } from '../../../../core/ports/system.ts';
import { unless } from '../../../aws/failures.ts';
import { logGroupOf, PLATFORM_STREAM } from '../names.ts';

interface LogParts {
  readonly logs: CloudWatchLogsClient;
  readonly clock: Clock;
}

const RETENTION_DAYS = 14;
/**
 * What Lambda writes when the process of an instance ends, whatever its code: `RequestId: … Error: Runtime exited with
 * error: exit status 1 Runtime.ExitError`.
 */
const ENDED = '"Runtime.ExitError"';
const FILTER = 'ended';
/** The tag of a log group by which the role of applications knows whose it is: see `lib/stack/apps`. */
const FUNCTION_TAG = 'function';

/**
 * Makes the log group of an application's function, which Lambda would make without an end of its retention. Returns
 * whether there was none.
 */
export async function ensureLog(name: string, { logs }: LogParts): Promise<boolean> {
  const logGroupName = logGroupOf(name);
  const group = new CreateLogGroupCommand({ logGroupName, tags: { [FUNCTION_TAG]: name } });
  const made = logs.send(group).then(() => true);
  const isNew = (await unless('ResourceAlreadyExistsException', made)) === true;
  if (isNew) {
    await logs.send(new PutRetentionPolicyCommand({ logGroupName, retentionInDays: RETENTION_DAYS }));
  }
  const stream = new CreateLogStreamCommand({ logGroupName, logStreamName: PLATFORM_STREAM });
  await unless('ResourceAlreadyExistsException', logs.send(stream));
  return isNew;
}

/** Notifies a function of each instance that ends unexpectedly; the same filter again changes nothing. */
export async function watchLog(name: string, destinationArn: string, { logs }: LogParts): Promise<void> {
  const filter = { logGroupName: logGroupOf(name), filterName: FILTER, filterPattern: ENDED };
  await logs.send(new PutSubscriptionFilterCommand({ ...filter, destinationArn }));
}

/** Notifies nobody any more. A log that is gone, or has no filter, stays as it is. */
export async function unwatchLog(name: string, { logs }: Pick<LogParts, 'logs'>): Promise<void> {
  const filter = { logGroupName: logGroupOf(name), filterName: FILTER };
  await unless('ResourceNotFoundException', logs.send(new DeleteSubscriptionFilterCommand(filter)));
}

/** Writes what happened to an application into its log. Never throws: the line is not worth a failed deploy. */
export async function note(name: string, message: string, { logs, clock }: LogParts): Promise<void> {
  const logEvents = [{ timestamp: clock.now(), message }];
  const target = { logGroupName: logGroupOf(name), logStreamName: PLATFORM_STREAM };
  await logs.send(new PutLogEventsCommand({ ...target, logEvents })).catch(() => {});
}

/** Returns a line of the log with who has printed it and where, as the handler of commands writes it. */
export function printedBy(name: string, stream: string, line: string): string {
  return [name, stream, line].join('\t');
}

const PRINTED_BY = /^(@cron\.\d+)\t(stdout|stderr|platform)\t/;

/** The streams of functions without versions: those that run commands. */
const OF_COMMANDS = /\[\$LATEST\]/;

/** Returns a line of a stream of the log as it was printed. An application prints what it likes, but not into these streams. */
export function printedIn(logStream: string, line: string): Omit<PrintedLine, 'at'> {
  const isOwn = logStream === PLATFORM_STREAM;
  const [before, process, stream] = (isOwn || OF_COMMANDS.test(logStream) ? PRINTED_BY.exec(line) : null) ?? [];
  if (process === undefined) return { stream: isOwn ? 'platform' : 'stdout', line };
  return { stream: stream as PrintedLine['stream'], process, line: line.slice(before?.length) };
}

/**
 * Whether a line of a function's log is Lambda's own: `START RequestId: …`. The last is printed for the adapter's
 * layer.
 */
export function isOfLambda(line: string): boolean {
  return /^(?:(?:START|END|REPORT) RequestId:|INIT_START |INIT_REPORT |EXTENSION\t|XRAY TraceId:)/.test(line);
}

/** Whether a line is Lambda's about the end of an instance, which an answer says too. */
export function isEndOfInstance(line: string): boolean {
  return /^(?:RequestId: [\w-]+ |\d{4}-\S+Z [\w-]+ )(?:Error: Runtime exited|Task timed out)|^Runtime\.ExitError$/.test(
    line,
  );
}
