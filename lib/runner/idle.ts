/**
 * Watches whether an application whose `web` is `auto` is used. Nothing of it is stored: after a start of the platform it is asleep.
 */
export class IdleWatch {
  #isAuto = false;
  #open = 0;
  #timer: NodeJS.Timeout | undefined;

  /** `onIdle` is called when nothing has used it for that time. */
  constructor(
    private readonly idleMs: number,
    private readonly onIdle: () => void,
  ) {}

  /** Sets whether the application may sleep, which begins the time in which it must be used. */
  allow(isAuto: boolean): void {
    this.#isAuto = isAuto;
    this.#awaitIdle();
  }

  get isUsed(): boolean {
    return this.#open > 0;
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

  #awaitIdle(): void {
    clearTimeout(this.#timer);
    if (this.#isAuto && this.#open === 0) this.#timer = setTimeout(this.onIdle, this.idleMs);
  }
}
