import { DeployError, failsAs } from '../errors.ts';
import type { LogReader } from '../ports/log.ts';
import { type Entry, entryNumber } from './entry.ts';

/**
 * Returns the user's entry with that id. Throws `status:db:not_found` for an unknown or another user's id, and
 * `status:db:get_by_id` when the database fails.
 */
export async function findEntry(log: Pick<LogReader, 'read'>, user: string, id: string): Promise<Entry> {
  const number = entryNumber(id);
  const entry = number === null ? null : await log.read(user, number).catch(unreadable);
  // The whole id is compared: the number alone could be guessed.
  if (entry && entry.id === id) return entry;
  throw new DeployError('status:db:not_found', 'There is no such entry of yours; see the list of your webhooks.');
}

const unreadable = failsAs('status:db:get_by_id', 'The entry could not be read; ask again.');
