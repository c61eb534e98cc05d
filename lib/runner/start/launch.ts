import {
  busyPort,
  lastError,
  printedPort,
  refusedAddress,
  whyItEnded,
} from '../../../functions/core/output/diagnosis.ts';
import type { Scale } from '../../../functions/core/ports/processes.ts';
import { keepingVariableIn } from '../../builder/manager-commands.ts';
import { portRemedy } from '../../builder/start/scripts.ts';
import type { StartCommand } from '../../builder/start/start-command.ts';
import { nodeHint } from '../../builder/tools/node-hint.ts';
import type { Target } from '../../http/forwarding/target.ts';
import { HttpError, sentenceOf } from '../../http/http-error.ts';
import { OwnPort, portsOf } from '../../http/port-owner.ts';
import { freePort } from '../../http/ports.ts';
import type { Exit } from '../../process/command.ts';
import type { StartedGroup } from '../../process/members.ts';
import type { ProcessLog } from '../logs/app-log.ts';
import { type AppProcess, type Ending, folderSeen, lastLines, startProcess } from '../processes/app-process.ts';
import type { Formation } from '../processes/formation.ts';
import { countOf, tooManyProcesses } from '../processes/scale.ts';
import { awaitAnswer, type OwnerOf, stillListens, untilUnhealthy } from './readiness.ts';
import { type FailedStart, failedStart, type Release } from './release.ts';

/** A `web` process that runs and has answered. */
export interface RunningWeb {
  readonly group: StartedGroup;
  /** Returns the ports on which it listens; none where the system does not tell. */
  readonly ports: () => Promise<readonly number[]>;
  /** The address on which it listens. */
  readonly address: Target;
  readonly ended: Promise<Ending>;
  end(graceMs: number): Promise<void>;
}

/** The first `web` process of a release; of a release without one, its other processes. */
export interface RunningRelease extends Omit<RunningWeb, 'group' | 'address'> {
  readonly snapshot: string;
  /** Without a `web` process. */
  readonly formation?: Formation;
  readonly group: StartedGroup | undefined;
  readonly address: Target | undefined;
  /** The other `web` processes, which end with it until they are taken out. */
  readonly others: RunningWeb[];
}

/** How a release is started, and what makes its processes beside the first `web`. */
interface ReleaseStart {
  readonly scale: Scale;
  /** Whether it was not live before. */
  readonly isNew: boolean;
  /** Whether the processes beside the first `web` run already. */
  readonly othersRun: boolean;
  readonly form: () => Formation;
  readonly signal: AbortSignal;
}

/** Starts a release. Throws as `launch` does; nothing of it is left then. */
export async function startRelease(
  release: Release,
  { scale, isNew, othersRun, form, signal }: ReleaseStart,
): Promise<RunningRelease> {
  const { web } = release.types;
  // Its build has checked that with the scale of then; a restart runs what ran.
  const problem = isNew ? tooManyProcesses(release.types, scale) : null;
  if (problem !== null) throw new HttpError(500, problem, []);
  const count = countOf('web', scale);
  if (!web || count === 0) return startWithoutWeb(form(), signal);
  return startWeb(release, { count: othersRun ? 1 : count, signal });
}

/** Starts `web` processes one after the other; the release answers when all do. */
async function startWeb(
  release: Release,
  { count, signal }: { readonly count: number; readonly signal: AbortSignal },
): Promise<RunningRelease> {
  const first = await launch(release, 1, signal);
  const others: RunningWeb[] = [];
  const end = async (graceMs: number) => {
    await Promise.all([first, ...others].map((web) => web.end(graceMs)));
  };
  try {
    while (others.length + 1 < count) others.push(await launch(release, others.length + 2, signal));
  } catch (error) {
    await end(release.limits.graceMs);
    throw error;
  }
  return { ...first, snapshot: release.snapshot, others, end };
}

const PORT_TRIES = 4;

/**
 * Waits until the processes of a release without a `web` process have run for a while. Throws an HttpError as `launch`
 * does; they are ended then.
 */
async function startWithoutWeb(formation: Formation, signal: AbortSignal): Promise<RunningRelease> {
  const { snapshot, limits } = formation.release;
  const end = (graceMs: number) => formation.end(graceMs);
  await formation.settle(limits.settleMs, signal).catch(async (error: unknown) => {
    await end(limits.graceMs);
    throw error;
  });
  const never = new Promise<Ending>(() => undefined);
  const none = { group: undefined, ports: async () => [], address: undefined, others: [] };
  return { ...none, snapshot, formation, ended: never, end };
}

/**
 * Starts a `web` process of a release, by its number, on a free port and waits until it answers. Throws an HttpError (500) with one
 * sentence about what went wrong and the last lines of output; no process is left then. The signal cancels the launch.
 */
export async function launch(release: Release, number: number, signal: AbortSignal): Promise<RunningWeb> {
  const command = release.types.web;
  if (!command) throw new Error('The release has no web process.');
  const log = number === 1 ? release.log : release.log.of(`web.${number}`);
  for (let tries = 1; ; tries++) {
    const port = await freePort();
    const outcome = await attempt({ ...release, log, command, signal, port });
    if (!('failure' in outcome)) return outcome;
    // Another process took the port before the application could listen on it.
    if (outcome.busy === port && tries < PORT_TRIES) continue;
    throw failedStart(release, outcome);
  }
}

interface Attempt extends Omit<Release, 'log'> {
  readonly log: ProcessLog;
  readonly command: StartCommand;
  readonly signal: AbortSignal;
  readonly port: number;
}

interface Failure extends FailedStart {
  readonly busy?: number | undefined;
}

async function attempt(spec: Attempt): Promise<RunningWeb | Failure> {
  const { lines, add } = lastLines();
  const started = await startProcess(spec, {
    ...spec,
    output: (stream, name) => spec.log.capture(stream, name, add),
  }).catch(sentenceOf);
  if (typeof started === 'string') return { failure: withHint(started, spec), lines };
  const { group, exceeded } = started;
  const ended = new AbortController();
  // What the leader leaves behind may answer, and ends with it in a moment.
  void group.leaderEnded.then(() => ended.abort());
  const signal = AbortSignal.any([ended.signal, spec.signal]);
  const own = new OwnPort(group);
  const ownerOf = (address: Target) => own.owner(address);
  const ports = () => portsOf(group);
  const answered = await awaitAnswer({
    ...spec.limits,
    port: spec.port,
    host: spec.host,
    health: spec.health,
    ownerOf,
    ports,
    remedy: (port) => portRemedy(port, spec.command.text, spec.manifest.scripts),
    printedPort: () => printedPort(lines),
    refusedAddress: () => refusedAddress(lines),
    signal,
  });
  if ('address' in answered && !signal.aborted) {
    lines.length = 0;
    const web = watched(started, { ...spec, ...answered, ownerOf, signal: ended.signal });
    const address = { ...answered.address, isStillOwn: () => own.isStillOwn(), onRefused: web.onRefused };
    return { group, ports, address, ended: web.ended, end: group.end };
  }
  const problem = 'problem' in answered ? answered.problem : '';
  const tooMuch = exceeded();
  if (tooMuch !== undefined) {
    await started.ended;
    const what = group.overrun() === undefined ? `${tooMuch} of memory` : tooMuch;
    return { failure: `The application ${what}, its limit, before it answered.`, lines };
  }
  if (ended.signal.aborted) return failureOf(lines, (await started.ended).exit, spec);
  await group.end(spec.limits.graceMs);
  if (spec.signal.aborted) return { failure: 'The start was cancelled.', lines };
  return { failure: withError(problem, lines, spec), lines, busy: 'isTaken' in answered ? spec.port : undefined };
}

/** An answer that is an error has its reason in what the application has printed. */
function withError(problem: string, lines: readonly string[], { release, isolation }: Attempt): string {
  const isAnswer = /^The application answered \d+ to GET \S+\.$/.test(problem);
  const error = isAnswer ? lastError(lines, folderSeen(release, isolation)) : undefined;
  return error === undefined ? problem : `${problem.slice(0, -1)}: ${error}`;
}

interface Watched extends Pick<Attempt, 'host' | 'health' | 'limits'> {
  readonly address: Target;
  readonly ownerOf: OwnerOf;
  /** Ends with the process. */
  readonly signal: AbortSignal;
}

/** The end of a process, also of one that lives on without listening, or without a good answer to its path `health`. */
function watched(
  { group, ended }: AppProcess,
  { address, ownerOf, host, health, limits, signal }: Watched,
): Required<Pick<RunningWeb, 'ended'> & Pick<Target, 'onRefused'>> {
  const { graceMs, reopenMs, healthMs: everyMs } = limits;
  let why: string | undefined;
  let wellUntil: number | undefined;
  let isLooking = false;
  const end = async (how: string) => {
    why ??= how;
    await group.end(graceMs);
  };
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    if (!(await stillListens(address, ownerOf, reopenMs))) await end('did not listen on its port any more');
    isLooking = false;
  };
  if (health) {
    const path = health.path;
    void untilUnhealthy({ host, signal, address, path, everyMs }).then(async (ill) => {
      wellUntil = ill?.wellUntil;
      if (ill) await end(ill.how);
    });
  }
  return {
    ended: ended.then((ending) => (why === undefined ? ending : { ...ending, how: why, wellUntil })),
    onRefused: () => void look(),
  };
}

const REMOVED = 'Development dependencies are removed after the build:';

/** Starters of frameworks begin with a program for development, which is not there any more after the build. */
function withHint(failure: string, { command, manifest, release }: Attempt): string {
  if (!failure.endsWith('was not found.')) return failure;
  if (command.note !== undefined) return `${failure} ${command.note}`;
  const ways = [
    ...(manifest.scripts['start:prod'] === undefined
      ? []
      : [`"hooks set start='npm run start:prod'" runs what is built`]),
    ...(manifest.packages.includes(command.program)
      ? [`"hooks env set ${keepingVariableIn(release.root)}" keeps it`]
      : []),
  ];
  return `${failure} ${REMOVED} ${ways.join(', and ') || 'name another command in a Procfile (web: <command>)'}.`;
}

/** Returns what follows an error about a module: a package that is declared is missing only where it was removed. */
function removedPackage(why: string, { manifest, release }: Attempt): string {
  const [, name = ''] = /Cannot find (?:package|module) '((?:@[^/']+\/)?[^/']+)/.exec(why) ?? [];
  if (!manifest.packages.includes(name)) return '';
  return `. ${REMOVED} move "${name}" to "dependencies"; "hooks env set ${keepingVariableIn(release.root)}" keeps it`;
}

function failureOf(lines: readonly string[], exit: Exit, spec: Attempt): Failure {
  const busy = busyPort(lines);
  if (busy !== undefined && busy !== spec.port) {
    const failure = `The application wants port ${busy}, which is taken; it must listen on the port in the variable PORT.`;
    return { failure, lines };
  }
  const why = whyItEnded(lines, exit, folderSeen(spec.release, spec.isolation));
  return { failure: `${why}${removedPackage(why, spec)}${nodeHint(lines)}`, lines, busy };
}
