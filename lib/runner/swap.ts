import { busyPort } from '../../functions/core/output/diagnosis.ts';
import type { Process } from '../../functions/core/ports/processes.ts';
import { type KeptFiles, linkKept, replacedIn } from '../files/kept-files.ts';
import { HttpError, sentenceOf, withSentence } from '../http/http-error.ts';
import type { ReleaseSpec, RunnerEvent } from './calls.ts';
import type { CurrentSpec } from './current-spec.ts';
import type { AppPort } from './door/app-port.ts';
import type { Live } from './live.ts';
import type { AppLog } from './logs/app-log.ts';
import { Formation } from './processes/formation.ts';
import type { RunnerLimits } from './settings.ts';
import type { Sleep } from './sleep.ts';
import type { Restarts } from './start/crashes.ts';
import { type RunningRelease, startRelease } from './start/launch.ts';
import type { Release } from './start/release.ts';

interface SwapParts {
  readonly limits: RunnerLimits;
  readonly spec: CurrentSpec;
  readonly log: Pick<AppLog, 'note'>;
  readonly live: Live;
  readonly port: AppPort;
  readonly restarts: Restarts;
  readonly sleep: Sleep;
  readonly isClosing: () => boolean;
  readonly state: () => Process['state'];
  readonly become: (state: Process['state']) => void;
  readonly report: (type: string, more: Omit<RunnerEvent, 'type' | 'user' | 'app'>) => void;
  /** Returns a release with the current variables. */
  readonly ready: (release: ReleaseSpec) => Release;
  /** Called when what ran before does not start again. */
  readonly onLost: (snapshot: string, how: string) => void;
}

interface SwapOptions {
  /** Goes on beside the new `web`; absent: the new release has its own. */
  readonly formation?: Formation | undefined;
  /** A `web` that is `auto` waits for a request. */
  readonly mayRest?: boolean;
  /** What the release has that runs, and the new one keeps. */
  readonly keptFiles?: KeptFiles | undefined;
}

const AGAIN = 'What ran before was started again.';

/** Moves an application from one release to another. */
export class Swap {
  #starting: AbortController | undefined;

  constructor(private readonly parts: SwapParts) {}

  cancel(): void {
    this.#starting?.abort();
  }

  #begin(): AbortController {
    this.#starting = new AbortController();
    return this.#starting;
  }

  /**
   * Starts a release and moves the traffic to it; when that fails, the old one keeps it. Where the two must not overlap, the old
   * one ends first, requests wait, and it is started again when that fails. A formation begins when the release is live, or
   * before, without `web`.
   */
  async to(spec: ReleaseSpec, options: SwapOptions = {}): Promise<void> {
    const { live, restarts, state, become, isClosing } = this.parts;
    if (isClosing()) throw new HttpError(503, 'The platform is stopping.');
    const began = performance.now();
    const before = state();
    const { signal } = this.#begin();
    const isAlone = !spec.overlap || options.keptFiles !== undefined;
    if ((isAlone || !live.running) && !restarts.isLoop) become('starting');
    const former = isAlone ? await this.#endFormer(spec, options) : undefined;
    try {
      const next = await this.#start(spec, { ...options, signal });
      if (!next) return;
      const milliseconds = performance.now() - began;
      restarts.began(() => {
        this.parts.report('app.serving', { snapshot: spec.snapshot, milliseconds });
        live.formation?.reportCrashes();
      });
    } catch (error) {
      if (former && !signal.aborted) throw await this.#startAgain(former, error);
      // The old release may have crashed in the meantime; its state must not be overwritten then.
      if (state() === 'starting') become(before);
      throw await withAdvice(error, live);
    } finally {
      this.#starting = undefined;
    }
  }

  /** Ends what runs, also in the runner before, and returns it; requests wait. */
  async #endFormer({ snapshot }: ReleaseSpec, { formation: kept }: SwapOptions): Promise<Release | undefined> {
    const { live, limits, port, ready, spec } = this.parts;
    const elsewhere = port.isElsewhere ? spec.now.release : null;
    await port.endElsewhere();
    if (elsewhere && elsewhere.snapshot !== snapshot) return ready(elsewhere);
    const { formation } = live;
    if (!formation || formation === kept || !(live.running || live.busy)) return undefined;
    await live.end(limits.drainMs);
    return formation.release;
  }

  /** Returns the `web` process that is live now, if it has not to wait for a request. */
  async #start(
    spec: ReleaseSpec,
    { formation, mayRest, keptFiles, signal }: SwapOptions & { readonly signal: AbortSignal },
  ): Promise<RunningRelease | undefined> {
    const { port } = this.parts;
    await port.openHere();
    const { scale, release: last } = this.parts.spec.now;
    const isNew = last?.snapshot !== spec.snapshot;
    const release = this.parts.ready(spec);
    const replaced = isNew ? undefined : { ...spec, paths: await replacedIn(spec, spec.kept) };
    await linkKept({ release: spec, dataDir: release.dataDir, paths: spec.kept, keptFiles: keptFiles ?? replaced });
    const rests = mayRest && scale.web === 'auto' && release.types.web !== undefined;
    const form = this.#formationOf(release);
    const next = rests ? undefined : await startRelease(release, { scale, isNew, form, signal });
    if (port.isElsewhere) await port.open(next?.address);
    this.parts.spec.change({ release: spec });
    this.#goLive(next, next?.formation ?? formation ?? form(), spec.snapshot);
    return next;
  }

  #goLive(next: RunningRelease | undefined, formation: Formation, snapshot: string): void {
    const { live, restarts, sleep, become, log, spec } = this.parts;
    // First, because the release may have ended already: `live.use` then starts it again.
    restarts.cancel();
    live.use(next, formation);
    sleep.allow(spec.now.scale.web === 'auto');
    become(next ? 'running' : 'asleep');
    if (next) log.note(`${snapshot} ${next.address ? 'serves' : 'runs'}`);
  }

  /** Starts what has ended for another release, which has failed. Returns the error of that one, with what came of it. */
  async #startAgain(former: Release, cause: unknown): Promise<HttpError> {
    const { spec, onLost, restarts } = this.parts;
    const { signal } = this.#begin();
    const form = this.#formationOf(former);
    const { scale } = spec.now;
    const failed = await startRelease(former, { scale, isNew: false, form, signal }).then((next) => {
      this.#goLive(next, next.formation ?? form(), former.snapshot);
      restarts.began(() => undefined);
      return undefined;
    }, sentenceOf);
    if (failed !== undefined && !signal.aborted) onLost(former.snapshot, failed);
    return withSentence(cause, failed === undefined ? AGAIN : `What ran before does not start again: ${failed}`);
  }

  #formationOf(release: Release): () => Formation {
    const { snapshot } = release;
    const { scale } = this.parts.spec.now;
    return () => new Formation(release, scale, (type, more) => this.parts.report(type, { snapshot, ...more }));
  }
}

const REMEDY = '"hooks set overlap=false" ends it before the new one starts';
/** What programs print that find a lock of another one: files of locks, LevelDB, LMDB, SQLite, pid files. */
const LOCKED =
  /(?<![\w-])lock(?:ed|s)?\b|already (?:held|running|locked|in use|open)|temporarily unavailable|\bE(?:AGAIN|WOULDBLOCK|BUSY)\b|another (?:instance|process)/i;

/** Adds what helps to the error of a start, when the release that runs has kept the new one from something. */
async function withAdvice(error: unknown, { running, formation }: Live): Promise<unknown> {
  if (!(error instanceof HttpError) || !(running || formation?.isBusy())) return error;
  const { status, message, log = [] } = error;
  const port = busyPort(log);
  const held = port === undefined ? [] : [await running?.ports(), await formation?.ports()].flat();
  if (held.includes(port)) return new HttpError(status, `The release that runs holds port ${port}: ${REMEDY}.`, log);
  if (![message, ...log].some((line) => LOCKED.test(line))) return error;
  return withSentence(error, `If the release that runs holds that: ${REMEDY}.`);
}
