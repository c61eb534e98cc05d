import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { PROCESS_MARK } from '../../lib/process/marks.ts';

const PROGRAM = fileURLToPath(new URL('watchdog.mjs', import.meta.url));
const RESTART_AFTER_MS = 1_000;
/** A build is often followed by a start; each new watchdog takes the time in which Node starts. */
const IDLE_MS = 10_000;

/** With it the marks of all processes begin that this one starts. */
export const OWN_MARKS = `${randomBytes(8).toString('hex')}-`;

const groups = new Set<number>();
let watchdog: ChildProcess | undefined;
let idle: NodeJS.Timeout | undefined;

/**
 * Returns the value of `PROCESS_MARK` for a process that is about to be started. The watchdog finds it by that (on Linux)
 * when this process is killed before it has told the process's group, and also when it has left the group.
 */
export function newMark(): string {
  clearTimeout(idle);
  if (!watchdog) start();
  return `${OWN_MARKS}${randomBytes(8).toString('hex')}`;
}

/**
 * Makes sure that a process group ends within a second of this process, SIGKILL included. One watchdog process serves all
 * groups; it runs while there is a group, and a while longer, and is started again when it is killed itself.
 */
export function watchGroup(pgid: number): void {
  clearTimeout(idle);
  groups.add(pgid);
  if (watchdog) send(`+${pgid}`);
  else start();
}

/** Stops watching a group, which must have ended: its number may be used again. */
export function unwatchGroup(pgid: number): void {
  groups.delete(pgid);
  send(`-${pgid}`);
  if (groups.size > 0) return;
  clearTimeout(idle);
  idle = setTimeout(endIdle, IDLE_MS).unref();
}

function endIdle(): void {
  // The end of its input alone means that this process has ended.
  send('.');
  watchdog?.stdin?.end();
  watchdog = undefined;
}

function start(): void {
  // A new session: a signal to this process's group must not reach it.
  const args = [PROGRAM, `${PROCESS_MARK}=${OWN_MARKS}`];
  const child = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'], env: {} });
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
