import { type ChildProcess, spawn } from 'node:child_process';
import { exitOf } from '../../../lib/process/command.ts';
import { endGroup } from '../../../lib/process/process-group.ts';
import { unwatchGroup, watchGroup } from '../watchdog.ts';

/** A running command that ends on `stop`, or within a second of this process, SIGKILL included. */
export interface WatchedCommand {
  /** The last 4,000 characters of its standard error. */
  readonly errors: () => string;
  /** Resolves with the exit code when the command has ended for whatever reason. */
  readonly ended: Promise<number>;
  stop(): Promise<void>;
}

const KEPT_CHARACTERS = 4000;
const GRACE_MS = 400;
/** The exit code of a shell for a command that it cannot run. */
const NOT_RUN = 127;

/**
 * Starts a command that must not outlive this process. It leads a new process group, so that Ctrl-C in the
 * terminal reaches this process alone, and what depends on the command can finish before the command is stopped.
 */
export function spawnWatched(command: string, args: readonly string[]): WatchedCommand {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env.PATH },
  });
  const errors = collectErrors(child);
  const { pid } = child;
  if (pid === undefined) return { errors, ended: failed(child), stop: async () => {} };
  watchGroup(pid);
  const ended = exitOf(child).then(async ({ code }) => {
    // What the command itself has started ends with it.
    await endGroup(pid, GRACE_MS);
    unwatchGroup(pid);
    return code ?? 1;
  });
  return {
    errors,
    ended,
    async stop() {
      await endGroup(pid, GRACE_MS);
      await ended;
    },
  };
}

/** The standard error so far, or why the command was not started. */
function collectErrors(child: ChildProcess): () => string {
  let text = '';
  const add = (chunk: string) => {
    text = (text + chunk).slice(-KEPT_CHARACTERS);
  };
  child.stderr?.setEncoding('utf8').on('data', add);
  child.once('error', ({ message }) => add(message));
  return () => text.trim();
}

function failed(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => child.once('error', () => resolve(NOT_RUN)));
}
