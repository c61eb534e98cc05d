import type { Entry } from '../core/entry/entry.ts';
import { snapshotOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { Activation, HostingPlatform, SnapshotRef } from '../core/ports/hosting-platform.ts';

/** What extracting works with. */
export interface ExtractPorts {
  readonly platform: Pick<HostingPlatform, 'activate' | 'poll'>;
  readonly clock: Clock;
}

/** Milliseconds of one look; after it the message goes back to its queue. */
const SLICE = 55_000;
/** Milliseconds in all before the platform counts as failed. */
const PATIENCE = 20 * 60_000;
/** Seconds for which the platform may keep an answer back, if it can: who asks again and again learns of the end late. */
const WAIT = 20;
const FIRST_PAUSE = 10;
const LONGEST_PAUSE = 2_000;

/** The platform extracts and installs the snapshot; asked in slices, because that may take longer than a function may. */
export function extract({ platform, clock }: ExtractPorts): StageWork {
  return async (entry) => {
    const snapshot = snapshotOf(entry);
    await platform.activate(snapshot);
    const activation = await pollFor(SLICE, snapshot, { platform, clock });
    if (activation.state === 'ready') return { kind: 'done' };
    if (activation.state === 'failed') return refused(activation.reason, activation.log);
    if (waited(entry, clock) < PATIENCE) return { kind: 'again', afterSeconds: 1 };
    return refused(`The platform has not finished extracting and installing after ${PATIENCE / 60_000} minutes.`, []);
  };
}

async function pollFor(milliseconds: number, snapshot: SnapshotRef, ports: ExtractPorts): Promise<Activation> {
  const end = ports.clock.now() + milliseconds;
  let pause = FIRST_PAUSE;
  for (;;) {
    const left = Math.floor((end - ports.clock.now()) / 1000);
    const activation = await ports.platform.poll(snapshot, Math.max(0, Math.min(WAIT, left)));
    if (activation.state !== 'building' || ports.clock.now() + pause > end) return activation;
    await ports.clock.sleep(pause);
    pause = Math.min(pause * 1.5, LONGEST_PAUSE);
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
