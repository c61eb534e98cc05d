import type { Clock } from '../../../core/ports/clock.ts';
import type { Activation } from '../../../core/ports/hosting-platform.ts';

const PAUSE_SECONDS = 2;

/**
 * Returns the progress of a build, as `HostingPlatform.poll` does. Providers answer at once and limit the number of
 * calls, so the wait for its end is here, with few calls.
 */
export async function pollUntil(
  waitSeconds: number,
  clock: Pick<Clock, 'sleep'>,
  progress: () => Promise<Activation>,
): Promise<Activation> {
  for (let left = waitSeconds; ; left -= PAUSE_SECONDS) {
    const activation = await progress();
    if (activation.state !== 'building' || left <= 0) return activation;
    await clock.sleep(Math.min(left, PAUSE_SECONDS) * 1000);
  }
}
