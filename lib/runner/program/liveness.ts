import { setTimeout as pause } from 'node:timers/promises';
import { HttpError } from '../../http/http-error.ts';

/** The time in which a runner answers, when it does. */
export const LIMIT_MS = 10_000;

const HANGS = 'What runs the applications does not answer.';

export interface LivenessParts {
  readonly limitMs: number;
  /** Asks the runner for the simplest of its answers. */
  readonly ask: (signal: AbortSignal) => Promise<unknown>;
  /** Gets sentences for the operator. */
  readonly warn: (sentence: string) => void;
}

/** A call to the runner that is watched. */
export interface Watched {
  /** Aborts with a 503 when the runner hangs. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Ends the calls to a runner that hangs: it accepts connections, and answers nothing. A call that is answered at once has a time
 * limit. For those that may last, the runner is asked every now and then whether it still answers.
 */
export class Liveness {
  readonly #lasting = new Set<AbortController>();
  #isChecking = false;
  #hangs = false;

  constructor(private readonly parts: LivenessParts) {}

  watch(name: string, mayLast: boolean): Watched {
    const call = new AbortController();
    const { signal } = call;
    if (!mayLast) {
      const timer = setTimeout(() => call.abort(this.#hung(name)), this.parts.limitMs);
      return { signal, end: () => clearTimeout(timer) };
    }
    this.#lasting.add(call);
    if (!this.#isChecking) void this.#check();
    return { signal, end: () => void this.#lasting.delete(call) };
  }

  answered(): void {
    if (!this.#hangs) return;
    this.#hangs = false;
    this.parts.warn('The runner of the applications answers again.');
  }

  async #check(): Promise<void> {
    const { limitMs, ask } = this.parts;
    this.#isChecking = true;
    while (this.#lasting.size > 0) {
      await pause(limitMs, undefined, { ref: false });
      const limit = AbortSignal.timeout(limitMs);
      const asked = [...this.#lasting];
      // A runner that has ended cuts its calls itself.
      if (asked.length > 0)
        await ask(limit).then(
          () => this.answered(),
          () => undefined,
        );
      if (limit.aborted) for (const call of asked) call.abort(this.#hung('hello'));
    }
    this.#isChecking = false;
  }

  #hung(name: string): HttpError {
    const { limitMs, warn } = this.parts;
    if (!this.#hangs)
      warn(`The runner of the applications does not answer: no answer to "${name}" in ${limitMs / 1000} s.`);
    this.#hangs = true;
    return new HttpError(503, HANGS);
  }
}
