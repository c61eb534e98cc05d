import type { Build } from '@aws-sdk/client-codebuild';
import { isObject } from '../../../../core/json.ts';
import { jsonIn } from '../../../../core/json-value.ts';
import { BUILD_FOUND, BUILD_NOTE } from '../../../../core/output/build-reason.ts';
import type { PrintedLine } from '../../../../core/ports/processes.ts';
import { oneLine } from '../../../../core/text.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { type BuildLogStream, failureIn, isWhole, logPlace, ownLines, wholeBuildLog } from './build-log.ts';

const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1000;
const MAX_REASON_LENGTH = 400;
const LOG_TRIES = 4;
const LOG_PAUSE_MS = 1_000;

type FailureParts = Pick<LambdaPlatformParts, 'logs' | 'clock'>;

/** Returns why a build failed, in one sentence, and the last lines that it printed. */
export async function buildFailure(
  build: Build,
  parts: FailureParts,
): Promise<{ readonly reason: string; readonly log: readonly string[] }> {
  const place = logPlace(build);
  const all = place ? await endedLog(place, parts) : [];
  const lines = ownLines()(all).map(({ line }) => line.slice(0, MAX_LINE_LENGTH));
  const said = oneLine(failureIn(lines) ?? reasonOf(build), MAX_REASON_LENGTH);
  return { reason: said ?? 'The build failed.', log: lines.filter((line) => line !== '').slice(-MAX_LOG_LINES) };
}

interface BuildNotes {
  readonly notes: readonly string[];
  /** The commands and the folder that it has used, as JSON; absent where the log does not have that yet. */
  readonly found?: string;
}

/** Returns what a build has noted for its deploy, most of it at its beginning: nothing is waited for. */
export async function buildNotes(build: Build, { logs }: FailureParts): Promise<BuildNotes> {
  const place = logPlace(build);
  if (!place) return { notes: [] };
  // Not worth a failed deploy.
  const lines = await wholeBuildLog(logs, place).catch(() => []);
  const after = (prefix: string) =>
    ownLines()(lines).flatMap(({ line }) => (line.startsWith(prefix) ? line.slice(prefix.length) : []));
  const found = after(BUILD_FOUND).findLast((text) => isObject(jsonIn(text)));
  const notes = after(BUILD_NOTE).flatMap((line) => oneLine(line, MAX_REASON_LENGTH) ?? []);
  return { notes, ...(found !== undefined && { found }) };
}

/** Returns the log of a build that has ended, and waits some seconds for its last lines. */
async function endedLog(at: BuildLogStream, { logs, clock }: FailureParts): Promise<readonly PrintedLine[]> {
  for (let tries = 1; ; tries += 1) {
    const lines = await wholeBuildLog(logs, at);
    if (isWhole(lines) || tries === LOG_TRIES) return lines;
    await clock.sleep(LOG_PAUSE_MS);
  }
}

function reasonOf(build: Build): string {
  if (build.buildStatus === 'TIMED_OUT') return 'The build did not end within 15 minutes, which is the limit.';
  if (build.buildStatus === 'STOPPED') return 'The build was cancelled.';
  const message = messageOf(build);
  return `The build failed${message ? `: ${message}` : '.'}`;
}

/** Returns what CodeBuild says about a build's phases; undefined for nothing. */
export function messageOf({ phases = [] }: Build): string | undefined {
  return phases.flatMap(({ contexts = [] }) => contexts).find((context) => context.message)?.message;
}
