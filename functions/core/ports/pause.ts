/** A wait that something may end early, as a port so that the core has no timers of its own. */
export interface Pause {
  /**
   * Resolves after that many milliseconds, or as soon as the function that `listen` is given is called. `listen` gives
   * back how to stop listening, which is called in either case.
   */
  until(milliseconds: number, listen: (wake: () => void) => () => void): Promise<void>;
}
