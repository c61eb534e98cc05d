import { type CloudWatchLogsClient, GetLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import type { Build } from '@aws-sdk/client-codebuild';
import { BUILD_BEGINS, BUILD_ENDS, BUILD_FAILED } from '../../../../core/output/build-reason.ts';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import { unless } from '../../../aws/failures.ts';

export interface BuildLogStream {
  readonly group: string;
  readonly stream: string;
}

/** Returns where the log of a build is; null before there is one. */
export function logPlace({ logs }: Pick<Build, 'logs'> = {}): BuildLogStream | null {
  return logs?.groupName && logs.streamName ? { group: logs.groupName, stream: logs.streamName } : null;
}

/**
 * Returns lines of a build's log after a token, and the token to go on with. A log that does not exist yet is empty.
 */
export async function readBuildLog(
  logs: CloudWatchLogsClient,
  { group, stream }: BuildLogStream,
  from?: string,
): Promise<{ readonly lines: readonly PrintedLine[]; readonly next: string | undefined }> {
  const place = { logGroupName: group, logStreamName: stream, startFromHead: true };
  const get = new GetLogEventsCommand({ ...place, ...(from !== undefined && { nextToken: from }) });
  const page = await unless('ResourceNotFoundException', logs.send(get));
  if (!page) return { lines: [], next: from };
  const lines = (page.events ?? []).flatMap(({ timestamp, message }) => linesOf(timestamp, message));
  return { lines, next: page.nextForwardToken };
}

/** Returns the whole log of a build that has ended, or its first pages: 10 MB. */
export async function wholeBuildLog(logs: CloudWatchLogsClient, at: BuildLogStream): Promise<readonly PrintedLine[]> {
  const all: PrintedLine[] = [];
  let from: string | undefined;
  for (let page = 0; page < 10; page += 1) {
    const { lines, next } = await readBuildLog(logs, at, from);
    all.push(...lines);
    // The last page returns the token that was sent:
    // https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
    if (next === undefined || next === from) break;
    from = next;
  }
  return all;
}

/** Whether a log has the lines up to the end of the build: CloudWatch gets the last ones some seconds after it. */
export function isWhole(lines: readonly PrintedLine[]): boolean {
  return lines.some(({ line }) => line === BUILD_ENDS);
}

/** Returns a filter, for the lines of one build in order, that lets through what the application's build printed. */
export function ownLines(): (lines: readonly PrintedLine[]) => readonly PrintedLine[] {
  let within = false;
  return (lines) =>
    lines.filter(({ line }) => {
      const isMark = line === BUILD_BEGINS || line === BUILD_ENDS;
      if (isMark) within = line === BUILD_BEGINS;
      return within && !isMark && !line.startsWith('[Container] ');
    });
}

/** Returns the sentence that the build gave as the reason of its failure; undefined when there is none. */
export function failureIn(lines: readonly string[]): string | undefined {
  return lines.findLast((line) => line.startsWith(BUILD_FAILED))?.slice(BUILD_FAILED.length);
}

function linesOf(timestamp = 0, message = ''): readonly PrintedLine[] {
  const at = new Date(timestamp).toISOString();
  return message
    .replace(/\r?\n$/, '')
    .split('\n')
    .map((line) => ({ at, stream: 'stdout', line: line.replace(/\r$/, '') }));
}
