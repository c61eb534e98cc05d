import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once as emitted } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { request } from 'node:http';
import { createRequire } from 'node:module';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { once } from '../../../functions/core/concurrency.ts';
import { bundled, programFolder } from '../../bundle/bundle.mjs';
import { OperatorError } from '../../files/errors.ts';
import { causeOf, messageOf } from '../../http/http-error.ts';
import { OWN_MARKS } from '../../process/marks.ts';
import { tellGroups } from '../../process/watched-groups.ts';
import type { RunnerCalls } from '../calls.ts';
import type { HeldPort, ServicePort } from '../door/service-ports.ts';
import type { RunnerLimits } from '../settings.ts';
import { helloOf, listenFor, type RemoteDoor, remoteDoor, replaceRunner, runnerClient } from './client.ts';
import { endLeftGroups } from './groups-files.ts';
import { type Hello, type ProgramOptions, RUNNER_ID, SOCKET } from './protocol.ts';
import { ERRORS, spawnRunner } from './spawn.ts';

export interface RunnerOptions {
  readonly folder: string;
  /** The file of the stable ports. */
  readonly ports: string;
  /** The folder of the reserve of the disk. */
  readonly reserve: string;
  /** Source of PATH and HOME for applications, and of RUNNER_LINGER. */
  readonly own: Readonly<Record<string, string | undefined>>;
  readonly limits?: Partial<RunnerLimits>;
  /** The ports of the service, on which the runner listens before it runs anything. */
  readonly service?: readonly ServicePort[];
  /** Gets sentences for the operator. */
  readonly warn: (sentence: string) => void;
}

/** The runner of a folder, a program that outlives this one. */
interface RunnerProcess extends RunnerCalls {
  readonly door: RemoteDoor;
  /** The open ports of the service, by their names. */
  readonly ports: Readonly<Record<string, number>>;
  /** Calls the listener after each restart, when nothing runs. */
  onRestart(listener: () => void): void;
  /** Resolves with the reason when it cannot be started again. */
  readonly failed: Promise<OperatorError>;
}

const NO_UNIT =
  'The runner of the applications is a unit of its own (RUNNER_LINGER=infinity) and does not answer: start deployment-webhooks-runner.';
const SOURCE = fileURLToPath(new URL('program.ts', import.meta.url));
const DEFAULT_LINGER_SECONDS = 60;
/** A runner that ends so soon after its start is started again only after a pause. */
const SOON_MS = 10_000;
const RESTART_AFTER_MS = 1_000;
const START_LIMIT_MS = 20_000;
const POLL_MS = 10;
const LISTEN_AGAIN_MS = 50;
/** The longest path of a socket: https://man7.org/linux/man-pages/man7/unix.7.html, and 104 on macOS. */
const MOST_PATH_BYTES = 103;

/** Takes the runner of a folder over, or starts one; and starts it again when it ends. Throws `OperatorError`. */
export async function startRunner(options: RunnerOptions): Promise<RunnerProcess> {
  const { folder, warn } = options;
  const socketPath = socketIn(folder, SOCKET);
  await openFolder(folder);
  const calls = runnerClient(socketPath, { warn });
  const program = await bundledRunner();
  const version = versionOf(program);
  const launch = { node: process.execPath, program };
  const hangs = once(() => warn('The runner of the applications does not answer: it is waited for.'));
  let hello = await helloOf(socketPath, hangs);
  if (hello && hello.version !== version) {
    warn('The runner of the applications is of another version: it is replaced, one application after the other.');
    const before = { ...programOptions(options, version), ...(hello.stays && { lingerSeconds: null }) };
    const { pid } = await replaceRunner(socketPath, { ...launch, options: before });
    hello = await firstHello(options, { pid, socketPath });
  }
  let child: ChildProcess | undefined;
  const begin = () => {
    const given = programOptions(options, version);
    // With RUNNER_LINGER=infinity systemd starts it.
    if (given.lingerSeconds !== null) child = spawnRunner({ ...launch, options: given }, options);
    return firstHello(options, { pid: child?.pid, child, socketPath });
  };
  let current = hello ?? (await begin());
  const { service = [] } = options;
  const { ports, warnings } = await listenFor(socketPath, service).catch((cause: unknown) => {
    throw new OperatorError(`The runner of the applications does not listen for the service: ${causeOf(cause)}`, {
      cause,
    });
  });
  for (const warning of warnings) warn(warning);
  let attending = attend(socketPath, current);
  let startedAt = performance.now();
  let isClosing = false;
  let restarted = () => {};
  const keep = async (): Promise<void> => {
    for (;;) {
      await attending.ended;
      if (isClosing) return;
      // Its connections are cut before the system says how it has ended.
      if (child?.exitCode === null) await Promise.race([emitted(child, 'exit'), pause(RESTART_AFTER_MS)]);
      warn(`The runner of the applications has ended${reasonOf(child, folder)}: it is started again.`);
      child = undefined;
      const isSoon = performance.now() - startedAt < SOON_MS;
      startedAt = performance.now();
      // The next one has its sockets, so that this waits for it; unless there is none.
      const next = await helloOf(socketPath, hangs);
      if (!next) {
        // What the kernel has not ended with it.
        await endLeftGroups(folder);
        if (isSoon) await pause(RESTART_AFTER_MS);
      }
      if (isClosing) return;
      current = next ?? (await begin());
      await listenAgain(
        socketPath,
        service.map((one) => ({ ...one, port: ports[one.name] ?? one.port })),
      );
      attending = attend(socketPath, current);
      restarted();
    }
  };
  const failed = new Promise<OperatorError>((resolve) => {
    keep().catch((error: unknown) => resolve(new OperatorError(messageOf(error), { cause: error })));
  });
  return {
    ...calls,
    door: remoteDoor(() => current.port),
    ports,
    onRestart: (listener) => {
      restarted = listener;
    },
    failed,
    close: async () => {
      isClosing = true;
      if (!current.stays && (await helloOf(socketPath))) await calls.close();
      attending.end();
    },
  };
}

/** Where it had no next one, the ports are free when the last process has ended that the killed runner has left. */
async function listenAgain(socketPath: string, wanted: readonly ServicePort[]): Promise<void> {
  const end = performance.now() + START_LIMIT_MS;
  for (;;) {
    try {
      await listenFor(socketPath, wanted);
      return;
    } catch (error) {
      if (performance.now() > end) throw error;
      await pause(LISTEN_AGAIN_MS);
    }
  }
}

/** Returns the ports that a running runner holds for the service of a folder; none when there is none. */
export async function heldPorts(folder: string): Promise<readonly HeldPort[]> {
  return (await helloOf(socketIn(folder, SOCKET)))?.held ?? [];
}

/** The path of a socket in the folder of a runner from here, where that is shorter. Throws `OperatorError` when it is too long for the system. */
export function socketIn(folder: string, name: string): string {
  const path = join(folder, name);
  const near = relative(process.cwd(), path);
  const [shorter = path] = [path, near].sort((one, other) => Buffer.byteLength(one) - Buffer.byteLength(other));
  if (Buffer.byteLength(shorter) <= MOST_PATH_BYTES) return shorter;
  throw new OperatorError(
    `The path of the data folder is too long for a socket in it (${path}): choose a shorter one.`,
  );
}

/**
 * Keeps a request open in which it tells the groups of this process: when that ends, the runner ends them. It ends when the
 * runner has: also when that was killed before, and the next one takes the request.
 */
function attend(socketPath: string, { pid }: Hello): { readonly ended: Promise<void>; end(): void } {
  const sent = request({ socketPath, method: 'POST', path: `/attend/${OWN_MARKS}`, agent: false });
  const ended = new Promise<void>((resolve) => sent.once('close', () => resolve()));
  sent.on('error', () => {});
  sent.once('response', (answer) => {
    answer.on('error', () => {}).resume();
    if (Number(answer.headers[RUNNER_ID]) !== pid) sent.destroy();
  });
  sent.flushHeaders();
  tellGroups((line) => void (sent.writable && sent.write(`${line}\n`)));
  return { ended, end: () => sent.destroy() };
}

async function openFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  // Releases may be private code, and logs may hold what an application should not have printed. Not by a umask, which
  // applications would inherit.
  await chmod(folder, 0o700);
}

/** Returns the digest of the program. */
function versionOf(program: string): string {
  return createHash('sha256').update(readFileSync(program)).digest('hex');
}

function programOptions(
  { ports, reserve, own, limits = {} }: Omit<RunnerOptions, 'warn'>,
  version: string,
): ProgramOptions {
  // Its working directory is another one.
  const files = { ports: resolve(ports), reserve: resolve(reserve) };
  return { version, ...files, limits, lingerSeconds: lingerOf(own) };
}

/** Waits until the runner answers. */
async function firstHello(
  { folder, warn }: RunnerOptions,
  { pid, child, socketPath }: { pid: number | undefined; child?: ChildProcess | undefined; socketPath: string },
): Promise<Hello> {
  const end = performance.now() + START_LIMIT_MS;
  let hasEnded = false;
  child?.once('exit', () => {
    hasEnded = true;
  });
  while (performance.now() < end && !hasEnded) {
    const hello = await helloOf(socketPath);
    for (const warning of hello?.warnings ?? []) warn(warning);
    if (hello && (pid === undefined || hello.pid === pid)) return hello;
    await pause(POLL_MS);
  }
  if (pid === undefined) throw new OperatorError(NO_UNIT);
  child?.kill('SIGKILL');
  throw new OperatorError(`The runner of the applications does not start${reasonOf(child, folder)}.`);
}

function lingerOf({ RUNNER_LINGER: seconds }: RunnerOptions['own']): number | null {
  if (seconds === 'infinity') return null;
  const number = Number(seconds ?? DEFAULT_LINGER_SECONDS);
  if (seconds !== '' && number >= 0) return number;
  throw new OperatorError(`RUNNER_LINGER is a number of seconds or infinity, not "${seconds}".`);
}

/** Returns how a runner has ended, for a sentence: the signal, or the last error that it has printed. */
function reasonOf(child: ChildProcess | undefined, folder: string): string {
  if (child?.signalCode) return ` (${child.signalCode})`;
  try {
    const lines = readFileSync(join(folder, ERRORS), 'utf8').trim().split('\n');
    const error = lines.findLast((line) => /error|:/i.test(line) && !/^\s+at /.test(line));
    return error === undefined ? '' : ` (${error.trim()})`;
  } catch {
    return '';
  }
}

/** Runs the runner of a folder in this process, which a service manager has started. Throws `OperatorError`. */
export async function runHere(options: Omit<RunnerOptions, 'warn'>): Promise<void> {
  const { folder } = options;
  await openFolder(folder);
  const program = await bundledRunner();
  process.argv.splice(1, process.argv.length, program, JSON.stringify(programOptions(options, versionOf(program))));
  process.chdir(folder);
  createRequire(program)(program);
}

/** Returns the file of the program, which is made again when a source has changed. */
export async function bundledRunner(): Promise<string> {
  // CommonJS starts faster than an ES module.
  const outfile = join(programFolder(), 'runner.cjs');
  await bundled({ entry: SOURCE, outfile, format: 'cjs' });
  return outfile;
}
