import type { Change } from './log-reader.ts';

/**
 * Receives the number of the user's last change, or null when signals may have been lost and the log's counter should
 * be read; and some of the changes up to that number, in order, when the signal contained them.
 */
export type OnSignal = (last: number | null, changes?: readonly Change[]) => void;

/** A subscription, until it is closed; a second `close` does nothing. */
export interface Subscription {
  close(): void;
}

/**
 * Best-effort notifications of changes in a user's log: one may arrive twice, late, out of order or not at all. The
 * receiver reads the log, unless the signal contained the changes that it lacks.
 */
export interface Signals {
  /** Calls `onSignal` from now on, first after connecting. Never throws: it reconnects until it is closed. */
  subscribe(user: string, onSignal: OnSignal): Subscription;
}
