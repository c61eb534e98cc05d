const MIN_PAUSE_MS = 20;
const MAX_PAUSE_MS = 100;
/** Pauses stay short for this time after a record or a wake. */
const ACTIVE_MS = 200;

/**
 * Decides how long readers of streams pause between two empty reads: briefly while records arrive, so that a burst
 * is read quickly, then longer, so that an idle service uses almost no processor time.
 */
export class PollBackoff {
  readonly #waiting = new Set<() => void>();
  readonly #signal: AbortSignal;
  #activeUntil = 0;
  #version = 0;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#endPauses(), { once: true });
  }

  /** Returns a version to take before a read and pass to `wait` after it, so that no write in between is missed. */
  version(): number {
    return this.#version;
  }

  /** Ends all pauses and shortens those that follow: a write may become readable a moment later. */
  wake(): void {
    this.#version += 1;
    this.#activeUntil = Date.now() + ACTIVE_MS;
    this.#endPauses();
  }

  /** Resolves after a pause, at the next `wake` or when closed; immediately when `wake` was called since `version`. */
  async wait(version: number): Promise<void> {
    if (version !== this.#version || this.#signal.aborted) return;
    const pauseMs = Date.now() < this.#activeUntil ? MIN_PAUSE_MS : MAX_PAUSE_MS;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, pauseMs);
      this.#waiting.add(done);
    });
  }

  #endPauses(): void {
    for (const done of [...this.#waiting]) done();
  }
}
