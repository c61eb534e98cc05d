import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('watchdog.mjs', import.meta.url));
const RESTART_AFTER_MS = 1_000;

const groups = new Set<number>();
let watchdog: ChildProcess | undefined;

/**
 * Makes sure that a process group ends within a second of this process, SIGKILL included. One watchdog process serves
 * all groups; it runs while there is a group and is started again when it is killed itself.
 */
export function watchGroup(pgid: number): void {
  groups.add(pgid);
  if (watchdog) send(`+${pgid}`);
  else start();
}

/** Stops watching a group, which must have ended: its number may be used again. */
export function unwatchGroup(pgid: number): void {
  groups.delete(pgid);
  send(`-${pgid}`);
  if (groups.size > 0) return;
  watchdog?.stdin?.end();
  watchdog = undefined;
}

function start(): void {
  // A new session: a signal to this process's group must not reach it.
  const child = spawn(process.execPath, [PROGRAM], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} });
  child.on('error', () => undefined);
  child.stdin?.on('error', () => undefined);
  child.unref();
  child.once('exit', () => {
    if (watchdog === child) setTimeout(restart, RESTART_AFTER_MS, child).unref();
  });
  watchdog = child;
  for (const pgid of groups) send(`+${pgid}`);
}

function restart(ended: ChildProcess): void {
  if (watchdog === ended) start();
}

function send(line: string): void {
  if (watchdog?.stdin?.writable) watchdog.stdin.write(`${line}\n`);
}
