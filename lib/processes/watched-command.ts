import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A command under watch: it ends when `stop` is called, or within a second of this process' end, SIGKILL included. */
export interface Watched {
  /** What it has printed to stderr so far, its last 4,000 characters. */
  readonly errors: () => string;
  /** Settles with the exit code when the command has ended, for whatever reason. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

const KEPT_CHARACTERS = 4000;
const watchdog = fileURLToPath(new URL('command-watchdog.mjs', import.meta.url));

/**
 * Starts a command that must not outlive this process. It runs in a session of its own, so that Ctrl-C in the terminal
 * reaches this process first and what depends on the command can finish before it is stopped.
 */
export function spawnWatched(command: string, args: readonly string[]): Watched {
  const child = spawn(process.execPath, [watchdog, command, ...args], {
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const ended = once(child, 'exit').then(([code]) => (typeof code === 'number' ? code : 1));
  return { errors: collect(child), ended, stop: () => stop(child, ended) };
}

function collect(child: ChildProcess): () => string {
  let text = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    text = (text + chunk).slice(-KEPT_CHARACTERS);
  });
  return () => text.trim();
}

async function stop(child: ChildProcess, ended: Promise<number>): Promise<void> {
  child.stdin?.end();
  await ended;
}
