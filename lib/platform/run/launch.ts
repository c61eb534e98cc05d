import { busyPort, howItEnded, whyItEnded } from '../../../functions/core/output/diagnosis.ts';
import { withoutValues } from '../../../functions/core/output/without-values.ts';
import { appEnvironment, type OwnEnvironment, type ReleaseFolders } from '../../builder/process/child-environment.ts';
import { type ChildGroup, startGroup } from '../../builder/process/child-group.ts';
import {
  readStartManifest,
  type StartCommand,
  type StartManifest,
  startCommand,
} from '../../builder/start/start-command.ts';
import type { Target } from '../../http/forwarder.ts';
import { ownerOfPort } from '../../http/port-owner.ts';
import { freePort } from '../../http/ports.ts';
import type { Exit } from '../../process/command.ts';
import type { GroupRegistry } from '../../process/group-registry.ts';
import { HttpError, messageOf } from '../http-error.ts';
import type { Limits } from '../settings.ts';
import type { Variables } from '../store/variables.ts';
import type { AppLog } from './app-log.ts';
import type { MemoryWatch } from './limits/memory-watch.ts';
import { awaitAnswer } from './readiness.ts';

/** A release and what its process needs. */
export interface Launch {
  readonly what: string;
  readonly snapshot: string;
  readonly release: ReleaseFolders;
  /** The application's own folder, which persists across releases. */
  readonly dataDir: string;
  readonly host: string;
  readonly variables: Variables;
  /** The user's caches. */
  readonly caches: string;
  readonly log: AppLog;
  readonly limits: Limits;
  /** The memory limit of its processes together, in MB; undefined: none. */
  readonly memoryMb: number | undefined;
  readonly memory: MemoryWatch;
  /** Cancels the launch; the process is ended. */
  readonly signal: AbortSignal;
}

/** A release that runs and has answered. */
export interface RunningRelease {
  readonly snapshot: string;
  /** The address on which it listens. */
  readonly address: Target;
  readonly ended: Promise<Ending>;
  end(graceMs: number): Promise<void>;
}

/** The exit of a process, as the end of a sentence. */
export interface Ending {
  readonly how: string;
  /** Whether it was ended because it used too much memory, or had too many processes. */
  readonly tooLarge: boolean;
}

const PORT_TRIES = 4;
/** Shorter than usual: until then it may use still more. */
const TOO_LARGE_GRACE_MS = 1_000;
const FAILURE_LINES = 100;

/**
 * Starts a release on a free port and waits until it answers. Throws an HttpError (500) with one sentence about what
 * went wrong and the last lines of output; no process is left then.
 */
export async function launch(own: OwnEnvironment, groups: GroupRegistry, spec: Launch): Promise<RunningRelease> {
  const manifest = await readStartManifest(spec.release.folder).catch(refused);
  const command = await startCommand(spec.release.folder, manifest).catch(refused);
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const outcome = await attempt(own, groups, { ...spec, manifest, command, port });
    if (!('failure' in outcome)) return outcome;
    // Another process took the port before the application could listen on it.
    if (outcome.busy === port && tries < PORT_TRIES) continue;
    // Paths relative to the application, as its author knows them.
    const shown = [outcome.failure, ...outcome.lines].map((line) => line.replaceAll(`${spec.release.root}/`, ''));
    const [sentence = '', ...lines] = withoutValues(shown, spec.variables);
    throw new HttpError(500, sentence, lines);
  }
}

interface Attempt extends Launch {
  readonly manifest: StartManifest;
  readonly command: StartCommand;
  readonly port: number;
}

interface Failure {
  readonly failure: string;
  readonly lines: readonly string[];
  readonly busy?: number | undefined;
}

async function attempt(own: OwnEnvironment, groups: GroupRegistry, spec: Attempt): Promise<RunningRelease | Failure> {
  const lines: string[] = [];
  const group = await spawnApp(own, groups, { ...spec, lines }).catch((error: unknown) => messageOf(error));
  if (typeof group === 'string') return { failure: withHint(group, spec.manifest), lines };
  const limit = limitMemory(spec, group);
  const ended = new AbortController();
  const gone = group.exited.then((exit) => {
    ended.abort();
    return exit;
  });
  const signal = AbortSignal.any([ended.signal, spec.signal]);
  const ownerOf = (address: Target) => ownerOfPort(address, group);
  const answered = await awaitAnswer({ ...spec.limits, port: spec.port, host: spec.host, ownerOf, signal });
  if ('address' in answered && !signal.aborted) {
    lines.length = 0;
    const ending = gone.then((exit) => endingOf(exit, limit.exceeded()));
    return { snapshot: spec.snapshot, ...answered, ended: ending, end: group.end };
  }
  const problem = 'problem' in answered ? answered.problem : '';
  const tooMuch = limit.exceeded();
  if (tooMuch !== undefined) {
    await gone;
    const what = group.overrun() === undefined ? `${tooMuch} of memory` : tooMuch;
    return { failure: `The application ${what}, its limit, before it answered.`, lines };
  }
  if (ended.signal.aborted) return failureOf(lines, await gone, spec);
  await group.end(spec.limits.graceMs);
  if (spec.signal.aborted) return { failure: 'The start was cancelled.', lines };
  return { failure: problem, lines, busy: 'isTaken' in answered ? spec.port : undefined };
}

/** Ends the group when it uses too much memory; `exceeded` says so of it and of processes, as the end of a sentence. */
function limitMemory({ memory, memoryMb }: Attempt, group: ChildGroup): { exceeded(): string | undefined } {
  if (memoryMb === undefined) return { exceeded: group.overrun };
  let exceeded: string | undefined;
  const stop = memory.watch({ pgid: group.pgid, limitMb: memoryMb }, () => {
    exceeded = `used more than ${memoryMb} MB`;
    void group.end(TOO_LARGE_GRACE_MS);
  });
  void group.exited.then(stop);
  return { exceeded: () => group.overrun() ?? exceeded };
}

function endingOf(exit: Exit, tooMuch: string | undefined): Ending {
  return { how: tooMuch ?? howItEnded(exit), tooLarge: tooMuch !== undefined };
}

function spawnApp(
  own: OwnEnvironment,
  groups: GroupRegistry,
  spec: Attempt & { readonly lines: string[] },
): Promise<ChildGroup> {
  const { command, release, lines } = spec;
  return startGroup(groups, {
    program: command.program,
    args: command.args,
    cwd: release.folder,
    env: appEnvironment(own, { ...spec, script: command.text }),
    what: spec.what,
    output: (stream, name) =>
      spec.log.capture(stream, name, (line) => {
        lines.push(line);
        if (lines.length > FAILURE_LINES) lines.shift();
      }),
  });
}

/** Starters of frameworks begin with a program for development, which is not there any more after the build. */
function withHint(failure: string, { scripts }: StartManifest): string {
  if (!failure.endsWith('was not found.')) return failure;
  const instead = scripts['start:prod'] === undefined ? 'web: <command>' : 'web: npm run start:prod';
  return `${failure} Development dependencies are removed after the build: name another command in a Procfile (${instead}), or move it to "dependencies".`;
}

function failureOf(lines: readonly string[], exit: Exit, spec: Attempt): Failure {
  const busy = busyPort(lines);
  if (busy !== undefined && busy !== spec.port) {
    const failure = `The application wants port ${busy}, which is taken; it must listen on the port in the variable PORT.`;
    return { failure, lines };
  }
  return { failure: whyItEnded(lines, exit, spec.release.folder), lines, busy };
}

function refused(error: unknown): never {
  throw new HttpError(500, messageOf(error), []);
}
