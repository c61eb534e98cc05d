/** What failed, or is as due as before its work, is tried again after this time. */
const PAUSE_MS = 5_000;
/** The longest delay of a timer of Node; a later one is set again then. */
const LONGEST_MS = 2 ** 31 - 1;

/** A timer for work that is due at a time. */
export interface Alarm {
  /** Runs the work at that time, in milliseconds since 1970, unless it runs earlier anyway. */
  at(time: number): void;
  stop(): void;
}

/**
 * Returns an alarm. `work` returns when it is due next, null or Infinity for never; it never runs twice at a time. Nothing is polled while
 * nothing is due.
 */
export function alarm(work: () => Promise<number | null>, now: () => number, failed: (error: unknown) => void): Alarm {
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let running = false;
  let stopped = false;

  const at = (time: number) => {
    if (stopped || time >= dueAt) return;
    dueAt = time;
    if (!running) set();
  };
  const set = () => {
    clearTimeout(timer);
    if (!Number.isFinite(dueAt)) return;
    timer = setTimeout(ring, Math.min(Math.max(0, dueAt - now()), LONGEST_MS));
  };
  const ring = async () => {
    if (dueAt > now()) return set();
    const due = dueAt;
    dueAt = Number.POSITIVE_INFINITY;
    running = true;
    const next = await work().catch((error: unknown) => {
      failed(error);
      return due;
    });
    running = false;
    if (stopped) return;
    const time = next ?? Number.POSITIVE_INFINITY;
    dueAt = Math.min(dueAt, time <= due ? now() + PAUSE_MS : time);
    set();
  };
  return {
    at,
    stop: () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
