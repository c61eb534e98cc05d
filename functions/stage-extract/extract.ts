import type { Entry } from '../core/entry/entry.ts';
import { snapshotOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Activation, HostingPlatform, SnapshotRef } from '../core/ports/hosting-platform.ts';

/** The ports of the stage `extract`. */
export interface ExtractPorts {
  readonly platform: Pick<HostingPlatform, 'activate' | 'poll'>;
  readonly clock: Clock;
}

/** How long one run polls; after it the message returns to its queue. */
const POLL_WINDOW_MS = 55_000;
/** How long the platform may take before it counts as failed. */
const ACTIVATION_LIMIT_MS = 20 * 60_000;
/** How long the platform may delay its response, if it can, so that the end of the build is known at once. */
const LONG_POLL_SECONDS = 20;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 2_000;

/**
 * Returns the work of the stage `extract`: the platform extracts and installs the snapshot. It polls in several runs,
 * because that can take longer than the timeout of a function.
 */
export function extract({ platform, clock }: ExtractPorts): StageWork {
  return async (entry) => {
    const snapshot = snapshotOf(entry);
    await platform.activate(snapshot, entry.path);
    const activation = await pollFor(POLL_WINDOW_MS, snapshot, { platform, clock });
    if (activation.state === 'ready') return { kind: 'done' };
    if (activation.state === 'failed') return refused(activation.reason, activation.log);
    if (waited(entry, clock) < ACTIVATION_LIMIT_MS) return { kind: 'again', afterSeconds: 1 };
    return refused(
      `The platform has not finished extracting and installing after ${ACTIVATION_LIMIT_MS / 60_000} minutes.`,
      [],
    );
  };
}

async function pollFor(milliseconds: number, snapshot: SnapshotRef, ports: ExtractPorts): Promise<Activation> {
  const end = ports.clock.now() + milliseconds;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const left = Math.floor((end - ports.clock.now()) / 1000);
    const activation = await ports.platform.poll(snapshot, Math.max(0, Math.min(LONG_POLL_SECONDS, left)));
    if (activation.state !== 'building' || ports.clock.now() + pause > end) return activation;
    await ports.clock.sleep(pause);
    pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
  }
}

function waited(entry: Entry, clock: Clock): number {
  const record = entry.stages.find(({ name }) => name === 'extract');
  return record ? clock.now() - record.startedAt : 0;
}

function refused(reason: string, logTail: readonly string[]): StageOutcome {
  const error = new DeployError('deploy:tar:extract_failed', reason, { retry: false, logTail });
  return { kind: 'failed', error };
}
