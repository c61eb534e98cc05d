import { isatty } from 'node:tty';

/**
 * Whether a hangup is meant for this process: it has a terminal. `nohup` and service managers detach input and output
 * from it; node resets the signal that `nohup` tells it to ignore, so that these are the only sign.
 */
export function hasTerminal(): boolean {
  return isatty(0) || isatty(1);
}
