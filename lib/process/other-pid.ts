import { randomInt } from 'node:crypto';

/** The kernel gives the next number to each process, and a fork of a shell takes a tenth of a millisecond. */
const NUMBERS = 32;

/**
 * Uses up numbers and runs the command with the next one, as the first process of a namespace of pids: it reaps what is left
 * behind, and all ends with it. What shells say of a command that a signal has ended is not of its output.
 */
const SCRIPT =
  'exec 9>&2 2>/dev/null; n=$1; shift; while [ "$n" -gt 0 ]; do (:); n=$((n - 1)); done; (exec "$@" 2>&9 9>&-); exit $?';

let next = randomInt(NUMBERS);

/**
 * Returns a command that runs this one with another process id than the last ones, where it would have the same each time: with
 * that a pid file of a process that was killed would name the one which has just been started.
 */
export function withOtherPid(command: readonly string[]): readonly string[] {
  next = (next + 1) % NUMBERS;
  return ['/bin/sh', '-c', SCRIPT, 'sh', String(next), ...command];
}
