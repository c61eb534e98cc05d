import type { Entry } from '../core/entry/entry.ts';
import { snapshotOf } from '../core/entry/snapshot.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import type { Activation, HostingPlatform, SnapshotRef } from '../core/ports/platform.ts';
import type { Clock } from '../core/ports/system.ts';

export interface ExtractPorts {
  readonly platform: Pick<HostingPlatform, 'activate' | 'poll' | 'cancel'>;
  readonly clock: Clock;
}

/** One run waits for this time at most, below the limit of a stage's work; then the message returns to its queue. */
const WAIT_MS = 40_000;
/** A build that takes longer counts as failed. */
const ACTIVATION_LIMIT_MS = 20 * 60_000;
/** A build whose end is announced by an event is polled after this time, because the event may be lost. */
const EVENT_LATE_SECONDS = 120;
const FIRST_PAUSE_MS = 10;
const MAX_PAUSE_MS = 1_000;

/**
 * Returns the work of the stage `extract`: the platform extracts and installs the snapshot. It knows the end of a build
 * within a second: its poll is held by the platform, or the stage runs again when the platform announces the end.
 */
export function extract({ platform, clock }: ExtractPorts): StageWork {
  return async (entry) => {
    const snapshot = snapshotOf(entry);
    const { path, settings, clean, sha, receivedAt: deploy, number } = entry;
    await platform.activate(snapshot, { path, settings, clean, commit: sha ?? undefined, deploy, entry: number });
    const activation = await pollFor(WAIT_MS, snapshot, { platform, clock });
    if (activation.state === 'ready') {
      const { note, found } = activation;
      return { kind: 'done', ...(note && { detail: note }), ...(found && { transition: { changes: { found } } }) };
    }
    if (activation.state === 'failed') return refused(activation.reason, activation.log);
    if (waited(entry, clock) < ACTIVATION_LIMIT_MS) return later(activation.announced === true);
    // Its `release` command must not run after the deploy has failed.
    await platform.cancel(snapshot);
    return refused(
      `The platform has not finished extracting and installing after ${ACTIVATION_LIMIT_MS / 60_000} minutes.`,
      [],
    );
  };
}

function later(isAnnounced: boolean): StageOutcome {
  return isAnnounced ? { kind: 'waits', atMostSeconds: EVENT_LATE_SECONDS } : { kind: 'again', afterSeconds: 0 };
}

/** A platform that does not hold a poll is asked every second. */
async function pollFor(milliseconds: number, snapshot: SnapshotRef, ports: ExtractPorts): Promise<Activation> {
  const end = ports.clock.now() + milliseconds;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const left = Math.floor((end - ports.clock.now()) / 1000);
    const activation = await ports.platform.poll(snapshot, Math.max(0, left));
    if (activation.state !== 'building' || activation.announced || ports.clock.now() + pause > end) return activation;
    await ports.clock.sleep(pause);
    pause = Math.min(Math.ceil(pause * 1.5), MAX_PAUSE_MS);
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
