import type { Change } from './log-reader.ts';

/**
 * What a follower is told: the number of the user's last change, or null when signals may have been missed and it should
 * look for itself; and some of the changes up to it, in their order, when they came along.
 */
export type OnSignal = (last: number | null, changes?: readonly Change[]) => void;

/** A subscription, until it is closed; a second `close` does nothing. */
export interface Subscription {
  close(): void;
}

/**
 * Tells that the log of a user has grown. A signal is a hint, nothing more: it may come twice, late, in the wrong order
 * or not at all. Whoever gets it reads the log, unless the very changes that it lacks came along.
 */
export interface Signals {
  /** Calls `onSignal` from now on, first when it is connected. Never throws: without a connection it keeps trying. */
  subscribe(user: string, onSignal: OnSignal): Subscription;
}
