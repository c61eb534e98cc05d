import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { at } from '../process/inherited.ts';
import { project, testFolder, WAIT_LIMIT_MS } from './place.ts';
import { descendants, type ProcessMark, runningIn, signalIfThere, stillRunning } from './processes.ts';

/** `npm start` as a process of its own, with all that it starts. */
export interface ServiceProcess {
  readonly pid: number;
  /** Its output so far, with standard error. */
  output(): string;
  /** Waits until its output matches and returns the match; rejects when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
  /** How it ended: its exit code, or the signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
  /** Sends a signal to the process itself, not to its children. */
  signal(signal: NodeJS.Signals): void;
  /** Sends a signal to the whole process group, as a terminal does; nothing when it has ended. */
  signalGroup(signal: NodeJS.Signals): void;
  /** SIGKILL, unless it has ended already. */
  kill(): void;
  /** Returns its processes that run now. */
  family(): readonly ProcessMark[];
}

/** How to start it, where that differs from the default. */
export interface StartProcess {
  readonly dataDir: string;
  readonly port?: number;
  readonly path?: string;
  /** Through npm, as a user does. */
  readonly npm?: boolean;
  /** How long the runner waits for the next start after a kill; by default not long. */
  readonly lingerSeconds?: number;
  /** The machine's folder for temporary files. */
  readonly temporary?: string;
  /** A descriptor that it inherits, at number 251. */
  readonly inherited?: number;
  /** Another command in another folder, which is its home too. */
  readonly other?: { readonly command: readonly string[]; readonly folder: string };
}

/** The runner waits a second, and gives a process five to end; the rest is for a machine that is busy with other work. */
const GONE_LIMIT_MS = 60_000;

/** Returns an empty data folder. */
export function dataFolder(name: string): string {
  const folder = join(testFolder, `${name}-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Starts the service without waiting for it. */
export function startProcess(options: StartProcess): ServiceProcess {
  const {
    dataDir,
    port = 0,
    path = process.env.PATH ?? '',
    temporary = process.env.TMPDIR,
    lingerSeconds = 1,
    inherited,
    other,
  } = options;
  // The npm script is skipped, because it may install packages.
  const own = options.npm
    ? ['npm', 'run', 'start', '--ignore-scripts', '--']
    : [process.execPath, 'bin/run.mjs', 'local'];
  const [program, ...args] = other?.command ?? own;
  const home = other?.folder ?? process.env.HOME;
  const child = spawn(program ?? '', args, {
    cwd: other?.folder ?? project,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe', ...(inherited === undefined ? [] : at({ 251: inherited }))],
    env: {
      ...{ PATH: path, HOME: home, TMPDIR: temporary, DATA_DIR: dataDir, PORT: String(port) },
      RUNNER_LINGER: String(lingerSeconds),
    },
  });
  const pid = child.pid ?? 0;
  const text = collect(child);
  const ended = once(child, 'exit').then(([code, signal]) => code ?? signal);
  return {
    pid,
    output: text,
    ended,
    printed: (pattern) => printed(pattern, text, child),
    signal: (signal) => void process.kill(pid, signal),
    signalGroup: (signal) => signalIfThere(-pid, signal),
    kill: () => void child.kill('SIGKILL'),
    family: () => descendants(pid),
  };
}

/** Waits until no process of the service or, with one, of the folder runs; rejects with those that still do. */
export async function gone(family: readonly ProcessMark[], dataDir?: string): Promise<void> {
  const limit = performance.now() + GONE_LIMIT_MS;
  for (;;) {
    const left = [...stillRunning(family), ...(dataDir === undefined ? [] : runningIn(dataDir))];
    if (left.length === 0) return;
    if (performance.now() > limit) throw new Error(`Still running: ${left.map(({ command }) => command).join('\n')}`);
    await setTimeout(20);
  }
}

/** Returns the login of a data folder, as `user:password`. */
export function loginOf(dataDir: string): string {
  return `demo:${readFileSync(join(dataDir, 'password'), 'utf8').trim()}`;
}

function collect({ stdout, stderr }: ChildProcess): () => string {
  let text = '';
  for (const stream of [stdout, stderr]) {
    stream?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return () => text;
}

async function printed(pattern: RegExp, text: () => string, child: ChildProcess): Promise<RegExpExecArray> {
  const limit = performance.now() + WAIT_LIMIT_MS;
  while (performance.now() < limit) {
    const match = pattern.exec(text());
    if (match) return match;
    if (child.exitCode !== null) break;
    await setTimeout(20);
  }
  throw new Error(`It has not printed ${pattern}, but:\n${text()}`);
}
