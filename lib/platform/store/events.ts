import * as v from 'valibot';
import type { Sent } from '../../../functions/api/shapes/parts.ts';
import { AppEvent } from '../../../functions/api/shapes/platform.ts';
import { keyedMutex } from '../../../functions/core/concurrency.ts';
import { readState, writeState } from '../../files/state-file.ts';
import type { Folders } from './folders.ts';
import { appKey } from './names.ts';

/** RFC 3339. */
const StoredEvent = v.object({ ...AppEvent.entries, at: v.string() });
const StoredSchema = v.object({ last: v.number(), events: v.array(StoredEvent) });

/** An event without its number. */
type NewAppEvent = Omit<AppEvent, 'seq'>;

/** The events of applications. Only the last one of each application is kept, so their number is bounded. */
export interface AppEventStore {
  /** Returns the events after that number, in order, and the number of the last one that there was. */
  after(seq: number): Promise<{ readonly events: readonly AppEvent[]; readonly last: number }>;
  /**
   * Adds an event, and returns whether it was one: an application that has not crashed before and runs is none.
   */
  add(event: NewAppEvent): Promise<boolean>;
}

/** Returns the events in a file of the platform's data folder. */
export function appEvents(folders: Pick<Folders, 'events'>): AppEventStore {
  let stored: Promise<Sent<typeof StoredSchema>> | undefined;
  const withLock = keyedMutex();
  const read = () =>
    (stored ??= readState(folders.events, StoredSchema).then((file) => file ?? { last: 0, events: [] }));
  const add = async (event: NewAppEvent) => {
    const { events, last } = await read();
    const before = events.find((one) => appKey(one) === appKey(event));
    if (event.state === 'running' && before?.state !== 'crashed') return false;
    const added = { ...event, seq: last + 1, at: new Date().toISOString() };
    const next = { last: added.seq, events: [...events.filter((one) => one !== before), added] };
    await writeState(folders.events, next);
    stored = Promise.resolve(next);
    return true;
  };
  return {
    after: async (seq) => {
      const { events, last } = await read();
      return { events: events.filter((event) => event.seq > seq), last };
    },
    add: (event) => withLock('', () => add(event)),
  };
}
