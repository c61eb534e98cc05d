import { busyPort } from '../../../functions/core/output/diagnosis.ts';
import { type KeptFiles, linkKept, replacedIn } from '../../files/kept-files.ts';
import { HttpError, withSentence } from '../../http/http-error.ts';
import type { ReleaseSpec, RunnerEvent } from '../calls.ts';
import type { CurrentSpec } from '../current-spec.ts';
import type { AppPort } from '../door/app-port.ts';
import type { AppProxy } from '../door/proxy.ts';
import type { Started } from '../processes/background-process.ts';
import { Formation } from '../processes/formation.ts';
import type { Runs, StartedRun } from '../runs.ts';
import { launch, type RunningWeb, startRelease } from './launch.ts';
import type { Release } from './release.ts';

/** A start that someone has asked for. */
export interface Wish {
  readonly release: ReleaseSpec;
  /** Of a restart. */
  readonly entry?: number | undefined;
  readonly keptFiles?: KeptFiles | undefined;
  /** A `web` that is `auto` waits for a request. */
  readonly mayRest?: boolean;
}

export interface StartParts {
  readonly spec: CurrentSpec;
  readonly port: AppPort;
  readonly proxy: Pick<AppProxy, 'join'>;
  readonly runs: Runs;
  readonly report: (type: string, more: Omit<RunnerEvent, 'type' | 'user' | 'app'>) => void;
  /** Returns a release with the current variables. */
  readonly ready: (release: ReleaseSpec) => Release;
}

export interface StartOptions {
  /** A `web` that is `auto` waits for a request. */
  readonly mayRest: boolean;
  /** Whether the processes beside the first `web` go on, if there are any. */
  readonly keepsOthers: boolean;
  /** The files that the running release has written and that the new one keeps. */
  readonly keptFiles?: KeptFiles | undefined;
  readonly signal: AbortSignal;
}

/** Whether a release must not overlap with the one that runs. */
export function mustBeAlone({ overlap }: ReleaseSpec, keptFiles: KeptFiles | undefined): boolean {
  return !overlap || keptFiles !== undefined;
}

/** Starts a release, which takes the application over from the runner before. Throws as `startRelease` does. */
export async function startSpec(parts: StartParts, spec: ReleaseSpec, options: StartOptions): Promise<StartedRun> {
  const { port, runs } = parts;
  const { mayRest, keepsOthers, keptFiles, signal } = options;
  if (mustBeAlone(spec, keptFiles)) await port.endElsewhere();
  await port.openHere();
  const { scale, release: last } = parts.spec.now;
  const isNew = last?.snapshot !== spec.snapshot;
  const release = parts.ready(spec);
  const replaced = isNew ? undefined : { ...spec, paths: await replacedIn(spec, spec.kept) };
  await linkKept({ release: spec, dataDir: release.dataDir, paths: spec.kept, keptFiles: keptFiles ?? replaced });
  const form = formationOf(parts, release);
  const rests = mayRest && scale.web === 'auto' && spec.types.web !== undefined;
  const othersRun = keepsOthers && runs.busy !== undefined;
  const running = rests ? undefined : await startRelease(release, { scale, isNew, othersRun, form, signal });
  if (port.isElsewhere) await port.open(running?.address);
  return { running, form: () => (keepsOthers ? runs.busy : undefined) ?? form(running?.others) };
}

/** Starts what has ended for another release again, as it was. */
export async function startFormer(parts: StartParts, former: Release, signal: AbortSignal): Promise<StartedRun> {
  const form = formationOf(parts, former);
  const { scale } = parts.spec.now;
  const running = await startRelease(former, { scale, isNew: false, othersRun: false, form, signal });
  return { running, form: () => form(running.others) };
}

/** Returns what makes the formation of a release; it takes `web` processes that run already. */
function formationOf({ spec, report, proxy }: StartParts, release: Release): (webs?: RunningWeb[]) => Formation {
  const { snapshot } = release;
  const { scale } = spec.now;
  return (webs = []) => {
    const running = webs.splice(0);
    return new Formation(release, scale, {
      report: (type, more) => report(type, { snapshot, ...more }),
      startWeb: async (number, signal) =>
        joined(running.shift() ?? (await launch(release, number, signal)), { proxy, ...release.limits }),
    });
  };
}

/** Sends requests to a `web` process until it ends. Its own end waits for those that are open. */
function joined(
  web: RunningWeb,
  { proxy, drainMs }: Pick<StartParts, 'proxy'> & { readonly drainMs: number },
): Started {
  const leave = proxy.join(web.address);
  void web.ended.then(() => leave(0));
  const end = async (graceMs: number) => {
    await leave(drainMs);
    await web.end(graceMs);
  };
  return { group: web.group, ended: web.ended, end };
}

const REMEDY = '"hooks set overlap=false" ends it before the new one starts';
/** What programs print that find a lock of another one: files of locks, LevelDB, LMDB, SQLite, pid files. */
const LOCKED =
  /(?<![\w-])lock(?:ed|s)?\b|already (?:held|running|locked|in use|open)|temporarily unavailable|\bE(?:AGAIN|WOULDBLOCK|BUSY)\b|another (?:instance|process)/i;

/** Adds what helps to the error of a start, when the release that runs has kept the new one from something. */
export async function withAdvice(error: unknown, { running, formation }: Runs): Promise<unknown> {
  if (!(error instanceof HttpError) || !(running || formation?.isBusy())) return error;
  const { status, message, log = [] } = error;
  const port = busyPort(log);
  const held = port === undefined ? [] : [await running?.ports(), await formation?.ports()].flat();
  if (held.includes(port)) return new HttpError(status, `The release that runs holds port ${port}: ${REMEDY}.`, log);
  if (![message, ...log].some((line) => LOCKED.test(line))) return error;
  return withSentence(error, `If the release that runs holds that: ${REMEDY}.`);
}
