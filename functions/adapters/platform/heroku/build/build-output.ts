import { DeployError } from '../../../../core/errors.ts';
import type { OutputLine } from '../../../../core/ports/apps/app-output.ts';
import type { BuildOutput } from '../../../../core/ports/apps/build-output.ts';
import type { SnapshotRef } from '../../../../core/ports/hosting-platform.ts';
import { onAws } from '../../../aws/failures.ts';
import { type BuildReading, tableBuildOutput } from '../../in-table/build-output.ts';
import { keys } from '../../in-table/keys.ts';
import { textIn } from '../../provider/answers.ts';
import { textLines } from '../../provider/text-lines.ts';
import type { HerokuParts } from '../parts.ts';

const CODE = 'request:failed';
const PAUSE_MS = 2_000;
/** Without `follow`, the output of a running build is read until it pauses for this long. */
const QUIET_MS = 2_000;

/** Returns the output of builds on Heroku, which has no timestamps: each line gets the time of its reading. */
export function herokuBuildOutput(parts: HerokuParts): BuildOutput {
  return tableBuildOutput(parts.table, (snapshot, reading) => linesOf(snapshot, reading, parts));
}

async function* linesOf(
  snapshot: SnapshotRef,
  { follow, signal }: BuildReading,
  parts: HerokuParts,
): AsyncGenerator<readonly OutputLine[]> {
  for (;;) {
    const build = await onAws(CODE, 'the state of a build', () => buildOf(snapshot, parts));
    const body = build.address === undefined ? null : await opened(build.address, signal, parts);
    if (body) return yield* timed(body, { quietMs: follow || build.isOver ? undefined : QUIET_MS, signal }, parts);
    // Before its build, and in its first seconds, a snapshot has no output.
    if (build.isOver || !follow || signal.aborted) return;
    await parts.clock.sleep(PAUSE_MS, signal);
  }
}

interface BuildState {
  readonly address: string | undefined;
  readonly isOver: boolean;
}

async function buildOf(snapshot: SnapshotRef, { table, api }: HerokuParts): Promise<BuildState> {
  const item = await table.read(keys.snapshot(snapshot));
  if (!item) return { address: undefined, isOver: true };
  if (item.build === undefined) return { address: undefined, isOver: false };
  const { builder = '' } = (await table.read(keys.app(snapshot))) ?? {};
  const path = ['apps', builder, 'builds', item.build];
  const { body } = await api({ method: 'GET', path, code: CODE, what: 'the state of a build' });
  return { address: textIn(body, 'output_stream_url'), isOver: textIn(body, 'status') !== 'pending' };
}

/** Returns the body of the stream; null when Heroku does not have it yet or no longer has it. */
async function opened(address: string, signal: AbortSignal, { fetch }: HerokuParts) {
  const response = await fetch(address, { signal }).catch(() => null);
  if (response?.ok && response.body) return response.body;
  await response?.body?.cancel();
  return null;
}

interface Timing {
  readonly quietMs: number | undefined;
  readonly signal: AbortSignal;
}

async function* timed(
  body: ReadableStream<Uint8Array>,
  { quietMs, signal }: Timing,
  { clock }: HerokuParts,
): AsyncGenerator<readonly OutputLine[]> {
  const batches = textLines(body);
  try {
    for (;;) {
      const quiet = new AbortController();
      const next = batches.next();
      const pause = quietMs === undefined ? [] : [clock.sleep(quietMs, quiet.signal).then(() => null)];
      const batch = await Promise.race([next, ...pause]);
      quiet.abort();
      if (batch === null) {
        next.catch(() => {});
        return;
      }
      if (batch.done) return;
      const at = new Date(clock.now()).toISOString();
      yield batch.value.map((line) => ({ at, stream: 'stdout', line }));
    }
  } catch {
    if (signal.aborted) return;
    throw new DeployError(CODE, "The connection to Heroku's build log was lost.", { retry: true });
  } finally {
    void body.cancel().catch(() => {});
  }
}
