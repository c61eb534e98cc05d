import { isatty } from 'node:tty';
import { stop } from 'esbuild';

/**
 * Whether a hangup is meant for this process: it has a terminal. `nohup` and service managers detach input and output
 * from it; node resets the signal that `nohup` tells it to ignore, so that these are the only sign.
 */
export function hasTerminal(): boolean {
  return isatty(0) || isatty(1);
}

/**
 * Makes this process go on after a hangup that was not meant for it. The helper process of esbuild is in the same
 * process group and has ended; without this, every later bundle would fail.
 */
export async function outliveHangup(): Promise<void> {
  await stop();
}
