/** Ends and starts the `web` process of an application, when nothing else starts or ends it. */
interface SleepParts {
  /** How long it must have been unused. */
  readonly idleMs: number;
  /** Ends it, if it `isUnused` still. Must not reject. */
  readonly fallAsleep: () => Promise<void>;
  /** Starts it, if it is asleep still. Must not reject. */
  readonly wake: () => Promise<void>;
  /** Runs work in a turn of its user, as starts of all applications do. */
  readonly inTurn: (work: () => Promise<void>) => Promise<void>;
}

/**
 * The sleep of an application whose `web` is `auto`: the process ends when it has not been used for a while, and the
 * next request starts it and waits for that. Nothing of it is stored: after a start of the platform it is asleep.
 */
export class Sleep {
  #isAuto = false;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;
  #waking: Promise<void> | undefined;

  constructor(private readonly parts: SleepParts) {}

  /** Says whether the application may sleep, which begins the time in which it must be used. */
  allow(isAuto: boolean): void {
    this.#isAuto = isAuto;
    this.#awaitIdle();
  }

  /** Whether it may sleep, and has not been used for the whole time. */
  isUnused(): boolean {
    return this.#isAuto && this.#open === 0 && this.#timer === undefined;
  }

  /** Counts a request or a connection in; the returned function counts it out, and is called once. */
  use(): () => void {
    this.#open += 1;
    this.#awaitIdle();
    return () => {
      this.#open -= 1;
      this.#awaitIdle();
    };
  }

  /** Resolves when the application is awake or could not be started. All who are counted in wait for the one start. */
  async wake(): Promise<void> {
    if (!this.#isAuto) return;
    this.#waking ??= this.parts.inTurn(() => this.#wakeNow());
    await this.#waking;
  }

  async #wakeNow(): Promise<void> {
    // All who wanted it may have left while it waited for its turn.
    if (this.#open > 0) await this.parts.wake();
    this.#waking = undefined;
  }

  #awaitIdle(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (!this.#isAuto || this.#open > 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.parts.fallAsleep();
    }, this.parts.idleMs);
  }
}
