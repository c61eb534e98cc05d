import { type ChildProcess, spawn } from 'node:child_process';
import type { Server } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { GroupRegistry } from './group-registry.ts';
import { endGroup } from './process-group.ts';
import { unwatchGroup, watchGroup } from './watchdog.ts';

/** A running command that ends on `stop`, or within a second of this process, SIGKILL included. */
export interface WatchedCommand {
  /** The last 4,000 characters of its standard error. */
  readonly errors: () => string;
  /** Resolves with the exit code when the command has ended for whatever reason. */
  readonly ended: Promise<number>;
  /** Hands a listening server over, with a message, on the channel. */
  handOver(message: object, server: Server): void;
  /** Resolves with the first message on the channel. */
  readonly message: Promise<unknown>;
  /** Calls back with each message on the channel. */
  onMessage(receive: (message: unknown) => void): void;
  stop(): Promise<void>;
}

/** Options of a command that differ from the default. */
export interface WatchedOptions {
  /** Lists the command while it runs, so that the next start can end what outlived a kill of everything. */
  readonly groups?: Pick<GroupRegistry, 'add' | 'remove'>;
  /** Opens a channel to a Node process in the command, which ends when that process does. */
  readonly channel?: boolean;
}

const KEPT_CHARACTERS = 4000;
const GRACE_MS = 400;
/** The exit code of a shell for a command that it cannot run. */
const NOT_RUN = 127;

/** Without a registry, a command is under the watchdog only. */
const UNLISTED: Pick<GroupRegistry, 'add' | 'remove'> = { add: watchGroup, remove: unwatchGroup };

/**
 * Starts a command that must not outlive this process. It leads a new process group, so that Ctrl-C in the
 * terminal reaches this process alone, and what depends on the command can finish before the command is stopped.
 */
export function spawnWatched(
  command: string,
  args: readonly string[],
  { groups = UNLISTED, channel = false }: WatchedOptions = {},
): WatchedCommand {
  const child = spawn(command, args, {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', ...(channel ? (['ipc'] as const) : [])],
    env: { PATH: process.env.PATH },
  });
  const talk = {
    errors: collectErrors(child),
    message: new Promise<unknown>((resolve) => child.once('message', resolve)),
    onMessage: (receive: (message: unknown) => void) => void child.on('message', receive),
    handOver: (message: object, server: Server) => handOver(child, message, server),
  };
  const { pid } = child;
  if (pid === undefined) return { ...talk, ended: failed(child), stop: async () => {} };
  groups.add(pid, command);
  child.once('disconnect', () => void endGroup(pid, GRACE_MS));
  const ended = exitOf(child).then(async ({ code }) => {
    // What the command itself has started ends with it.
    await endGroup(pid, GRACE_MS);
    groups.remove(pid);
    return code ?? 1;
  });
  return {
    ...talk,
    ended,
    async stop() {
      await endGroup(pid, GRACE_MS);
      await ended;
    },
  };
}

/** The child holds the listening socket when the message has been sent; this process must accept no connection. */
function handOver(child: ChildProcess, message: object, server: Server): void {
  if (child.connected) child.send(message, server, () => server.close());
  else server.close();
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

/** The exit of a process. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

const LAST_OUTPUT_MS = 200;

/** Resolves with how a child ended once its output has been read. Never resolves for one that could not be started. */
export function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      const read = new Promise((closed) => child.once('close', closed));
      // A grandchild may hold the pipes open for ever, so the last output gets a moment and no more.
      Promise.race([read, pause(LAST_OUTPUT_MS)]).then(() => resolve({ code, signal }));
    });
  });
}

/** Returns any string as one word for a POSIX shell: as it is when it needs no quotes. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
