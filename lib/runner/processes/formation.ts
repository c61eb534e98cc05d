import { setTimeout as pause } from 'node:timers/promises';
import { whyItEnded } from '../../../functions/core/output/diagnosis.ts';
import type { Scale } from '../../../functions/core/ports/processes.ts';
import type { ProcessTypes } from '../../builder/start/process-types.ts';
import { failedStart, type Release } from '../start/release.ts';
import { folderSeen, type Listed } from './app-process.ts';
import { BackgroundProcess, type BackgroundSpec, type Crash, type Started } from './background-process.ts';
import { numbersOf } from './scale.ts';

interface FormationParts {
  readonly report: BackgroundSpec['report'];
  /** Starts a `web` process and sends requests to it. */
  readonly startWeb: (number: number, signal: AbortSignal) => Promise<Started>;
}

/** The processes of one release beside its first `web`. */
export class Formation {
  #processes: readonly BackgroundProcess[] = [];
  #scale: Scale;

  constructor(
    readonly release: Release,
    scale: Scale,
    private readonly parts: FormationParts,
  ) {
    this.#scale = scale;
    this.#fill(scale);
  }

  /**
   * Resolves when all have run for that time. Throws an HttpError (500) with one sentence when one of them has ended,
   * or the signal has.
   */
  async settle(milliseconds: number, signal: AbortSignal): Promise<void> {
    const over = new AbortController();
    const firstOf = ({ name, firstCrash }: BackgroundProcess) => firstCrash.then((crash) => ({ name, crash }));
    const quiet = pause(milliseconds, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(
      () => undefined,
    );
    const crashed = await Promise.race([quiet, ...this.#processes.map(firstOf)]);
    over.abort();
    if (crashed) throw failedStart(this.release, failureOf(crashed.name, crashed.crash, this.release));
    if (signal.aborted) throw failedStart(this.release, { failure: 'The start was cancelled.', lines: [] });
  }

  /** Starts and ends processes until there are as many as that; those with the highest numbers end. */
  async scale(scale: Scale, graceMs: number): Promise<void> {
    const wanted = wantedOf(this.release.types, scale).map(nameOf);
    const kept = this.#processes.filter((one) => wanted.includes(one.name) && !one.isLooping);
    const ended = this.#processes.filter((one) => !kept.includes(one));
    this.#processes = kept;
    this.#scale = scale;
    this.#fill(scale);
    await Promise.all(ended.map((one) => one.end(graceMs)));
  }

  /** Starts the processes of the release once more, when these have ended. */
  anew(): Formation {
    return new Formation(this.release, this.#scale, this.parts);
  }

  async end(graceMs: number): Promise<void> {
    await Promise.all(this.#processes.map((one) => one.end(graceMs)));
  }

  /** Returns the ports on which its processes listen. */
  async ports(): Promise<readonly number[]> {
    return (await Promise.all(this.#processes.map((one) => one.ports()))).flat();
  }

  /** Whether anything runs beside the first `web`, also at times only. */
  isBusy(): boolean {
    return this.#processes.length > 0 || this.release.cron.length > 0;
  }

  /** Whether one of its processes is in a crash loop. */
  isLooping(): boolean {
    return this.#processes.some((one) => one.isLooping);
  }

  shown(): readonly Listed[] {
    return this.#processes.map((one) => one.shown());
  }

  /** None has recovered while another one crashes in a loop. */
  readonly #report: BackgroundSpec['report'] = (type, more) => {
    if (type !== 'app.recovered' || !this.isLooping()) this.parts.report(type, more);
  };

  #fill(scale: Scale): void {
    const running = new Map(this.#processes.map((one) => [one.name, one]));
    const { startWeb } = this.parts;
    this.#processes = wantedOf(this.release.types, scale).map((wanted) => {
      const runs = running.get(nameOf(wanted));
      const start = wanted.type === 'web' && { start: (signal: AbortSignal) => startWeb(wanted.number, signal) };
      return runs ?? new BackgroundProcess(this.release, { ...wanted, ...start, report: this.#report });
    });
  }
}

type Wanted = Pick<BackgroundSpec, 'type' | 'number' | 'command'>;

/** Returns the processes that are to run; the first `web` is not one of them. */
function wantedOf({ web, others }: ProcessTypes, scale: Scale): readonly Wanted[] {
  const all = { ...(web && { web }), ...others };
  return Object.entries(all)
    .flatMap(([type, command]) => numbersOf(type, scale).map((number) => ({ type, number, command })))
    .filter(({ type, number }) => type !== 'web' || number > 1);
}

function nameOf({ type, number }: Wanted): string {
  return `${type}.${number}`;
}

function failureOf(name: string, { how, lines, ending }: Crash, { release, isolation }: Release) {
  const why = ending && !ending.tooLarge ? whyItEnded(lines, ending.exit, folderSeen(release, isolation)) : how;
  return { failure: `The process ${name} did not stay up: ${why}`, lines };
}
