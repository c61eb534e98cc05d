import { spawn } from 'node:child_process';

/**
 * Kills a process group when this process has ended, by SIGKILL too: a shell waits for the end of its input, which the
 * kernel closes then. Returns what ends the watch; the group must have ended, because its number may be used again.
 */
export function watchGroup(pgid: number): () => void {
  // A new session: Ctrl-C in a terminal must not reach it.
  const shell = spawn('/bin/sh', ['-c', `read -r line || kill -KILL -${pgid}`], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
    env: {},
  });
  shell.on('error', () => {});
  shell.stdin.on('error', () => {});
  shell.unref();
  return () => void shell.stdin.end('\n');
}
