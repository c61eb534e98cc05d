import { processSubject, type ReportOf, type RunnerEvent } from '../calls.ts';
import type { Doing, Life } from '../states.ts';

interface ConditionOf {
  /** The subject of its sentences. */
  readonly about: string;
  readonly report: ReportOf;
  /** The time between two reports: what fails and is fine in turns is told so often. */
  readonly pauseMs: number;
}

/** Something outside of a deploy that fails and is fine again: each change of it is reported. */
export class Condition {
  #isFailing: boolean | undefined;
  #reportedAt = Number.NEGATIVE_INFINITY;
  #isOver = false;

  constructor(private readonly of: ConditionOf) {}

  get isFailing(): boolean {
    return this.#isFailing === true;
  }

  fails(detail: string, process: string): void {
    this.#is(true, { detail, process });
  }

  isFine(detail: string): void {
    this.#is(false, { detail });
  }

  /** Reports for the last time, when it fails: nobody looks any more. What runs on may still fail, which is nothing. */
  end(detail: string): void {
    this.#reportedAt = Number.NEGATIVE_INFINITY;
    if (this.isFailing) this.isFine(detail);
    this.#isOver = true;
  }

  /** What is not reported now is at the next look. */
  #is(isFailing: boolean, more: Omit<RunnerEvent, 'type' | 'user' | 'app'>): void {
    const { about, report, pauseMs } = this.of;
    const now = performance.now();
    if (this.#isOver || isFailing === this.#isFailing || now - this.#reportedAt < pauseMs) return;
    // That it is fine is no news when it has not failed.
    if (isFailing || this.#isFailing) this.#reportedAt = now;
    this.#isFailing = isFailing;
    report(isFailing ? 'app.failing' : 'app.fine', { about, ...more });
  }
}

interface LimitedProcess {
  readonly name: string;
  readonly life: Life;
  readonly report: (type: string, more: Pick<RunnerEvent, 'about' | 'detail' | 'isCause'>) => void;
}

/** Reports, with what a life reports, that its process was ended above a limit, or stays below it. */
export function reportLimit({ name, life, report }: LimitedProcess, said: Doing<'report'>): void {
  const { type, isCause = false, detail = '', snapshot } = said;
  const about = processSubject(name);
  if (type === 'app.serving' && life.crashes.overruns === 0)
    report('app.fine', { about, detail: 'stays below its limit' });
  if (type !== 'app.restarting' || !isCause) return;
  report('app.failing', { about, detail: `${detail.replace(`${snapshot} `, '')} and was started again`, isCause });
}
