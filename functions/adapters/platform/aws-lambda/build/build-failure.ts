import type { Build } from '@aws-sdk/client-codebuild';
import { oneLine } from '../../../../core/text.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { ownLines, reasonIn, wholeBuildLog } from './build-log.ts';

const MAX_LOG_LINES = 100;
const MAX_LINE_LENGTH = 1000;
const MAX_REASON_LENGTH = 400;

/** Returns why a build failed, in one sentence, and the last lines that it printed. */
export async function buildFailure(
  build: Build,
  { logs }: Pick<LambdaPlatformParts, 'logs'>,
): Promise<{ readonly reason: string; readonly log: readonly string[] }> {
  const { groupName: group, streamName: stream } = build.logs ?? {};
  const all = group && stream ? await wholeBuildLog(logs, { group, stream }) : [];
  const lines = ownLines()(all).map(({ line }) => line.slice(0, MAX_LINE_LENGTH));
  const said = oneLine(reasonIn(lines) ?? reasonOf(build), MAX_REASON_LENGTH);
  return { reason: said ?? 'The build failed.', log: lines.filter((line) => line !== '').slice(-MAX_LOG_LINES) };
}

function reasonOf({ buildStatus, phases = [] }: Build): string {
  if (buildStatus === 'TIMED_OUT') return 'The build did not end within 15 minutes, which is the limit.';
  if (buildStatus === 'STOPPED') return 'The build was stopped.';
  const message = phases.flatMap(({ contexts = [] }) => contexts).find((context) => context.message)?.message;
  return `The build failed${message ? `: ${message}` : '.'}`;
}
