import {
  type CloudWatchLogsClient,
  GetLogEventsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import type { PrintedLine } from '../../../../api/shapes/log.ts';
import { reasonIn } from '../../../../core/output/build-reason.ts';

/** Printed by the build script around what a user wants to see: CodeBuild's own lines come before and after. */
const BEGINS = '--- build begins';
const ENDS = '--- build ends';
/** Prefixes of the build script's own lines: the reason of a failed build, a command, and its folder. */
const REASON = '--- error: ';
const COMMAND = '--- runs: ';
const FOLDER = '--- folder: ';

/** The log stream of a build. */
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
): Promise<{ readonly lines: readonly PrintedLine[]; readonly next: string | undefined }> {
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
export async function wholeBuildLog(logs: CloudWatchLogsClient, at: BuildLogStream): Promise<readonly PrintedLine[]> {
  const all: PrintedLine[] = [];
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

/** Whether a log has the lines up to the end of the build: CloudWatch gets the last ones some seconds after it. */
export function isWhole(lines: readonly PrintedLine[]): boolean {
  return lines.some(({ line }) => line === ENDS);
}

/**
 * Returns a filter, for the lines of one build in order, that lets through what the application's build printed, with
 * paths relative to the application.
 */
export function ownLines(): (lines: readonly PrintedLine[]) => readonly PrintedLine[] {
  let within = false;
  let folder: string | null = null;
  const own = (one: PrintedLine): readonly PrintedLine[] => {
    const { line } = one;
    if (line === BEGINS || line === ENDS) within = line === BEGINS;
    else if (within && line.startsWith(FOLDER)) folder = line.slice(FOLDER.length);
    else if (within && !line.startsWith('[Container] ')) {
      return [folder === null ? one : { ...one, line: line.replaceAll(`${folder}/`, '') }];
    }
    return [];
  };
  return (lines) => lines.flatMap(own);
}

/**
 * Returns the sentence that the build script gave as the reason, for a command with the line of its output that says
 * what was wrong; null when there is none.
 */
export function failureIn(lines: readonly string[]): string | null {
  const end = lines.findLastIndex((line) => line.startsWith(REASON));
  if (end < 0) return null;
  const sentence = (lines[end] ?? '').slice(REASON.length);
  const begin = lines.slice(0, end).findLastIndex((line) => line.startsWith(COMMAND));
  const command = lines[begin]?.slice(COMMAND.length);
  if (command === undefined || !sentence.startsWith(`${command} `)) return sentence;
  return `${sentence.replace(/\.$/, '')}${reasonIn(lines.slice(begin + 1, end))}.`;
}

function linesOf(timestamp = 0, message = ''): readonly PrintedLine[] {
  const at = new Date(timestamp).toISOString();
  return message
    .replace(/\r?\n$/, '')
    .split('\n')
    .map((line) => ({ at, stream: 'stdout', line: line.replace(/\r$/, '') }));
}
