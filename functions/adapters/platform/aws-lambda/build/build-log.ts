import {
  type CloudWatchLogsClient,
  GetLogEventsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import type { OutputLine } from '../../../../core/ports/apps/app-output.ts';

/** Printed by the build script around what a user wants to see: CodeBuild's own lines come before and after. */
const BEGINS = '--- build begins';
const ENDS = '--- build ends';
/** How a line of the build script begins that says in a sentence why the build failed. */
const REASON = '--- error: ';

/** Where the log of a build is. */
export interface BuildLogStream {
  readonly group: string;
  readonly stream: string;
}

/**
 * Returns lines of a build's log after a token, and the token to go on with. A log that does not exist yet is empty.
 */
export async function readBuildLog(
  logs: CloudWatchLogsClient,
  { group, stream }: BuildLogStream,
  from?: string,
): Promise<{ readonly lines: readonly OutputLine[]; readonly next: string | undefined }> {
  try {
    const { events = [], nextForwardToken } = await logs.send(
      new GetLogEventsCommand({
        logGroupName: group,
        logStreamName: stream,
        startFromHead: true,
        ...(from !== undefined && { nextToken: from }),
      }),
    );
    return { lines: events.flatMap(({ timestamp, message }) => linesOf(timestamp, message)), next: nextForwardToken };
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return { lines: [], next: from };
    throw error;
  }
}

/** Returns the whole log of a build that has ended, or its first pages: 10 MB. */
export async function wholeBuildLog(logs: CloudWatchLogsClient, at: BuildLogStream): Promise<readonly OutputLine[]> {
  const all: OutputLine[] = [];
  let from: string | undefined;
  for (let page = 0; page < 10; page += 1) {
    const { lines, next } = await readBuildLog(logs, at, from);
    all.push(...lines);
    // The same token again means the end:
    // https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_GetLogEvents.html
    if (next === undefined || next === from) break;
    from = next;
  }
  return all;
}

/** Returns a filter, for the lines of one build in order, that lets through what the application's build printed. */
export function ownLines(): (lines: readonly OutputLine[]) => readonly OutputLine[] {
  let within = false;
  return (lines) =>
    lines.filter(({ line }) => {
      if (line === BEGINS) within = true;
      else if (line === ENDS) within = false;
      else return within && !line.startsWith('[Container] ');
      return false;
    });
}

/** Returns the sentence that the build script gave as the reason; null when it gave none. */
export function reasonIn(lines: readonly string[]): string | null {
  return lines.findLast((line) => line.startsWith(REASON))?.slice(REASON.length) ?? null;
}

function linesOf(timestamp = 0, message = ''): readonly OutputLine[] {
  const at = new Date(timestamp).toISOString();
  return message
    .replace(/\r?\n$/, '')
    .split('\n')
    .map((line) => ({ at, stream: 'stdout', line: line.replace(/\r$/, '') }));
}
