import type { SnapshotRef } from '../hosting-platform.ts';

/** A change of the state of an application on the platform: it crashes again and again, or it answers again. */
export interface AppEvent extends SnapshotRef {
  /** The number of the event, growing. */
  readonly seq: number;
  readonly state: 'crashed' | 'running';
  /** One sentence; null when there is nothing to explain. */
  readonly reason: string | null;
  /** The last lines that the application printed. */
  readonly log: readonly string[];
}

/** Events after a cursor, and the number of the last one that there is. */
export interface AppEventPage {
  readonly events: readonly AppEvent[];
  /** Less than the cursor when the platform has lost its events and counts anew. */
  readonly last: number;
}

/** The events of all applications on the platform. */
export interface AppEvents {
  /**
   * Returns the events after that number, in order, at least the last one of each application. A platform without
   * events has none. Throws `request:failed` when it does not answer.
   */
  after(seq: number): Promise<AppEventPage>;
}

/** The position up to which events have been read, stored between the runs. */
export interface AppEventCursor {
  /** Returns the number of the last event that was read; 0 before the first. */
  read(): Promise<number>;
  write(seq: number): Promise<void>;
}
