import type { OutputLine } from '../../../../core/ports/apps/app-output.ts';
import type { BuildOutput } from '../../../../core/ports/apps/build-output.ts';
import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { type BuildReading, tableBuildOutput } from '../../in-table/build-output.ts';
import { keys } from '../../in-table/keys.ts';
import type { ScalingoParts } from '../parts.ts';
import { readOutput } from './deployments.ts';

const CODE = 'request:failed';
const PAUSE_MS = 2_000;

/** Returns the output of deployments on Scalingo, which prints no times: each line has that of its reading. */
export function scalingoBuildOutput(parts: ScalingoParts): BuildOutput {
  return tableBuildOutput(parts.table, (snapshot, reading) => linesOf(snapshot, reading, parts));
}

/** Reads the whole output each time, and yields the new lines. */
async function* linesOf(
  snapshot: SnapshotRef,
  { follow, signal }: BuildReading,
  parts: ScalingoParts,
): AsyncGenerator<readonly OutputLine[]> {
  for (let seen = 0; !signal.aborted; ) {
    const { text, isOver } = await onAws(CODE, 'the output of a deployment', () => outputOf(snapshot, parts));
    const lines = text.split('\n');
    // Until the deployment has ended, the last line may be incomplete.
    const whole = isOver && lines.at(-1) !== '' ? lines : lines.slice(0, -1);
    const at = new Date(parts.clock.now()).toISOString();
    const fresh = whole.slice(seen).map((line) => ({ at, stream: 'stdout', line: line.replace(/\r$/, '') }));
    seen = Math.max(seen, whole.length);
    if (fresh.length > 0) yield fresh;
    if (isOver || !follow) return;
    await parts.clock.sleep(PAUSE_MS, signal);
  }
}

async function outputOf(
  snapshot: SnapshotRef,
  { table, api }: ScalingoParts,
): Promise<{ readonly text: string; readonly isOver: boolean }> {
  const item = await table.read(keys.snapshot(snapshot));
  // Before its deployment a snapshot has no output; one that was removed has none any more.
  const isOver = item === null || item.state === 'ready' || item.state === 'failed';
  if (item?.deployment === undefined) return { text: '', isOver };
  const { run = '' } = (await table.read(keys.app(snapshot))) ?? {};
  return { text: (await readOutput(run, item.deployment, { api, code: CODE })) ?? '', isOver };
}
