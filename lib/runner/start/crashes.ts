import type { ProcessLog } from '../logs/app-log.ts';
import type { Ending } from '../processes/app-process.ts';
import type { RunnerLimits } from '../settings.ts';

/** How a process has ended unexpectedly, as a sentence or its end. */
export type Crash = Pick<Ending, 'how' | 'tooLarge'>;

type Crashes = ReturnType<typeof crashes>;

/** Counts the crashes of a process. Pauses double with each, and start over when it has run for the whole window. */
export function crashes(limits: RunnerLimits) {
  let inARow = 0;
  return {
    /**
     * Records a crash of a process that ran for so long; 0: it did not start. Returns the pause before it is started again, and
     * whether it has crashed too often in a row.
     */
    record(ranMs: number) {
      inARow = ranMs > limits.crashWindowMs ? 1 : inARow + 1;
      const pauseMs = Math.min(limits.crashPauseMs * 2 ** (inARow - 1), limits.crashPauseMaxMs);
      return { pauseMs, isLoop: inARow >= limits.crashLimit };
    },
    reset() {
      inARow = 0;
    },
  };
}

/** Starts a process again after each crash, for as long as it takes. */
export class Restarts {
  /** How often it was started again. */
  count = 0;
  readonly #ordinary: Crashes;
  /** Ends for too much memory, which is used up slowly, are counted apart. */
  readonly #overruns: Crashes;
  #timer: NodeJS.Timeout | undefined;
  #began: number | undefined;
  /** In a loop: how long it must run to have recovered. */
  #loopMs: number | undefined;

  constructor(
    private readonly limits: RunnerLimits,
    private readonly log: Pick<ProcessLog, 'note'>,
  ) {
    this.#ordinary = crashes(limits);
    this.#overruns = crashes({ ...limits, crashLimit: limits.overrunLimit, crashWindowMs: limits.overrunWindowMs });
  }

  /** Whether it has crashed too often, and has not recovered since. */
  get isLoop(): boolean {
    return this.#loopMs !== undefined;
  }

  /** Notes that it runs. Calls `recovered` at once, or in a loop when it has run for long enough. */
  began(recovered: () => void): void {
    this.#began = performance.now();
    if (this.#loopMs === undefined) recovered();
    else {
      this.#timer = setTimeout(() => {
        this.#loopMs = undefined;
        recovered();
      }, this.#loopMs);
    }
  }

  /**
   * Notes a crash, and calls `again` after the pause. Returns the state until then, and whether that is new: a loop is
   * once. With `awaitsRequest` a request starts it after the pause.
   */
  after(
    { how, tooLarge, awaitsRequest = false }: Crash & { readonly awaitsRequest?: boolean },
    again: () => void,
  ): { readonly state: 'restarting' | 'crashed'; readonly isNew: boolean } {
    const ranMs = this.#began === undefined ? 0 : performance.now() - this.#began;
    this.#began = undefined;
    const { pauseMs, isLoop } = (tooLarge ? this.#overruns : this.#ordinary).record(ranMs);
    const wasLoop = this.isLoop;
    if (isLoop) this.#loopMs ??= tooLarge ? this.limits.overrunWindowMs : this.limits.crashWindowMs;
    const follows = awaitsRequest ? `a request after ${pauseMs} ms starts it again` : `next start in ${pauseMs} ms`;
    this.log.note(`${how}; ${this.isLoop ? 'it has crashed too often; ' : ''}${follows}`);
    this.cancel();
    this.#timer = setTimeout(() => {
      if (!awaitsRequest) this.count += 1;
      again();
    }, pauseMs);
    return { state: this.isLoop ? 'crashed' : 'restarting', isNew: !wasLoop };
  }

  /** Drops the start that waits for the end of a pause, and the recovery that waits for its time. */
  cancel(): void {
    clearTimeout(this.#timer);
  }

  /** Forgets all crashes, because a start was requested. */
  reset(): void {
    this.#ordinary.reset();
    this.#overruns.reset();
    this.#loopMs = undefined;
  }
}
