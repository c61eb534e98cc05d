import { spawn, spawnSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { access, constants, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../../../lib/http/ports.ts';
import { exitOf } from '../../../lib/process/command.ts';
import { endGroup } from '../../../lib/process/process-group.ts';
import { REGION } from '../clients.ts';
import { eachLine } from '../invoke/log-lines.ts';
import { watchGroup } from '../watchdog.ts';
import type { FunctionSettings } from './function-store.ts';
import { AdapterError } from './web-adapter.ts';

/** A version of a function, and the folder of its artifact. */
export interface RunnableVersion {
  readonly name: string;
  readonly version: string;
  readonly settings: FunctionSettings;
  readonly folder: string;
}

/** The server of a version while it runs. */
export interface VersionProcess {
  readonly port: number;
  readonly logStream: string;
  /** Resolves when the server takes connections; rejects with AdapterError when it ends before. */
  readonly ready: Promise<void>;
  readonly hasEnded: () => boolean;
  /** Resolves with how it ended, in Lambda's words. */
  readonly gone: Promise<string>;
  stop(): Promise<void>;
}

const GRACE_MS = 500;
/** Lambda unpacks artifacts there. */
const TASK_ROOT = '/var/task';
const READY_POLL_MS = 15;
/** The folders that npm adds to the PATH: those of the project's own packages. */
const PROJECT_BIN = /(?:\/node_modules\/\.bin|node-gyp-bin)\/?$/;

/** Returns the PATH of this process without the project's own packages. */
export function machinePath(): readonly string[] {
  return (process.env.PATH ?? '/usr/bin:/bin').split(delimiter).filter((entry) => !PROJECT_BIN.test(entry));
}

/** Starts the script that the handler names, in a process group of its own; `line` gets what it prints. */
export async function startVersion(
  runnable: RunnableVersion,
  line: (logStream: string, text: string) => void,
): Promise<VersionProcess> {
  const { version, settings } = runnable;
  // What the server prints has the resolved path.
  const folder = await realpath(runnable.folder).catch(() => runnable.folder);
  const port = await freePort();
  const logStream = streamName(version);
  const [command, ...args] = await commandOf(folder, settings.handler);
  const child = spawn(command, args, {
    cwd: folder,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environment({ ...runnable, folder }, port),
  });
  const { pid } = child;
  let ended = false;
  // On AWS the artifact is in one place, whatever its content: logs and stacks look as they do there.
  const shown = (text: string) => line(logStream, text.replaceAll(folder, TASK_ROOT));
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, shown);
  const notStarted = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(`Couldn't find valid bootstrap: ${message}`));
  });
  const exited = exitOf(child).then(async ({ code, signal }) => {
    if (pid !== undefined) await endGroup(pid, GRACE_MS);
    if (code === 0) return 'Runtime exited without providing a reason';
    return `Runtime exited with error: ${code === null ? `signal: ${signal}` : `exit status ${code}`}`;
  });
  const unwatch = pid === undefined ? () => {} : watchGroup(pid);
  const gone = Promise.race([notStarted, exited]).then((reason) => {
    ended = true;
    unwatch();
    return reason;
  });
  const failed = gone.then((reason) => {
    throw new AdapterError('Runtime.ExitError', `Error: ${reason}`);
  });
  const ready = Promise.race([listening(port, () => ended), failed]);
  // It is for the invocation to report.
  ready.catch(() => {});
  failed.catch(() => {});
  return {
    port,
    logStream,
    ready,
    hasEnded: () => ended,
    gone,
    stop: async () => {
      if (pid === undefined || ended) return;
      await endGroup(pid, GRACE_MS);
      await gone;
    },
  };
}

/** Calls a handler of Node with the event from the standard input; of its context there is what is left of its time. */
const CALL = `const [file, name, ms] = process.argv.slice(1);
const end = Date.now() + Number(ms);
const { existsSync, readFileSync } = require('node:fs');
const event = JSON.parse(readFileSync(0, 'utf8'));
const context = { getRemainingTimeInMillis: () => end - Date.now() };
const path = ['.js', '.mjs', '.cjs'].map((extension) => file + extension).find(existsSync);
import(path).then((found) => (found[name] ?? found.default[name])(event, context)).then(() => process.exit(0));`;

/** Calls the handler of a function that has no server, in processes that end with it or at the signal. */
export async function callHandler(
  runnable: RunnableVersion,
  event: string,
  { line, signal }: { readonly line: (logStream: string, text: string) => void; readonly signal: AbortSignal },
): Promise<void> {
  const { version, settings } = runnable;
  const folder = await realpath(runnable.folder);
  const ms = settings.timeoutSeconds * 1000;
  const [file = '', name = ''] = settings.handler.split('.');
  const [command, ...args] = readOnly(folder, process.execPath, ['--fork', '--pid', '--kill-child']);
  const logStream = streamName(version);
  const child = spawn(command, [...args, '-e', CALL, join(folder, file), name, String(ms)], {
    cwd: folder,
    env: environment({ ...runnable, folder }, 0),
    signal: AbortSignal.any([signal, AbortSignal.timeout(ms)]),
    killSignal: 'SIGKILL',
  });
  const requestId = randomUUID();
  line(logStream, `START RequestId: ${requestId} Version: ${version}`);
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, (text) => line(logStream, text));
  child.on('error', () => {});
  child.stdin.on('error', () => {}).end(event);
  const { code, signal: by } = await exitOf(child);
  line(logStream, `END RequestId: ${requestId}`);
  if (code !== 0)
    line(logStream, `Runtime exited with error: ${by === null ? `exit status ${code}` : `signal: ${by}`}`);
}

/** A handler that cannot be run must fail itself, not the program that makes its folder read-only. */
async function commandOf(folder: string, handler: string): Promise<readonly [string, ...string[]]> {
  const program = join(folder, handler);
  const canRun = await access(program, constants.X_OK).then(
    () => true,
    () => false,
  );
  return canRun ? readOnly(folder, program) : [program];
}

/** `2026/11/22/[3]0f…`, as Lambda names the streams of its environments. */
function streamName(version: string): string {
  const day = new Date().toISOString().slice(0, 10).replaceAll('-', '/');
  return `${day}/[${version}]${randomBytes(16).toString('hex')}`;
}

/**
 * Nothing of the service's environment but the PATH, and no credentials: those of the service would allow everything.
 */
function environment({ name, version, settings, folder }: RunnableVersion, port: number) {
  return {
    PATH: [dirname(process.execPath), ...machinePath()].join(delimiter),
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    HOME: folder,
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    AWS_EXECUTION_ENV: `AWS_Lambda_${settings.runtime}`,
    AWS_LAMBDA_FUNCTION_NAME: name,
    AWS_LAMBDA_FUNCTION_VERSION: version,
    LAMBDA_TASK_ROOT: folder,
    _HANDLER: settings.handler,
    HOST: '127.0.0.1',
    ...settings.variables,
    // On AWS each environment has its own ports; here all share those of the machine.
    PORT: String(port),
    AWS_LWA_PORT: String(port),
  };
}

async function listening(port: number, hasEnded: () => boolean): Promise<void> {
  while (!(await accepts(port))) {
    if (hasEnded()) return;
    await pause(READY_POLL_MS);
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Binds a folder to itself read-only, goes into it, and becomes the program: `$0` is the folder. */
const IN_READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && cd "$0" && exec "$@"';

let namespace: readonly string[] | null | undefined;

/**
 * Returns the command that runs a program in a folder which nobody can write, as in `/var/task` on Lambda, whose only
 * writable folder is `/tmp`. The program sees the mount, the rest of the machine does not. Where the system allows no
 * mounts, it is the program alone.
 *
 * @see https://docs.aws.amazon.com/lambda/latest/dg/lambda-runtime-environment.html
 */
function readOnly(folder: string, program: string, more: readonly string[] = []): readonly [string, ...string[]] {
  const own = ownMounts();
  return own ? ['unshare', ...own, ...more, 'sh', '-c', IN_READ_ONLY, folder, program] : [program];
}

/** Whether artifacts are read-only on this machine. */
export function canBeReadOnly(): boolean {
  return ownMounts() !== undefined;
}

function ownMounts(): readonly string[] | undefined {
  if (namespace !== undefined) return namespace ?? undefined;
  const flags = process.getuid?.() === 0 ? ['--mount'] : ['--user', '--map-root-user', '--mount'];
  const { status } = spawnSync('unshare', [...flags, 'sh', '-c', IN_READ_ONLY, '.', 'true'], {
    cwd: import.meta.dirname,
    stdio: 'ignore',
  });
  namespace = status === 0 ? flags : null;
  return namespace ?? undefined;
}
