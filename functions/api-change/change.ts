import { type Entry, entryNumber } from '../core/entry/entry.ts';
import { row } from '../core/entry/views.ts';
import { DeployError } from '../core/errors.ts';
import { includeDocs } from '../core/parameters.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { HttpAnswer, HttpRequest } from '../triggers/http.ts';

/** `GET /1/status/<user>/changes/<id>`: that entry. An unknown or another user's id is `status:db:not_found`. */
export function change(log: Pick<LogReader, 'read'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ user, params, query, base }) => {
    const docs = includeDocs(query);
    const entry = await find(log, user, params.id ?? '');
    return { status: 200, headers: { 'cache-control': 'no-cache' }, body: row(entry, { base, docs }) };
  };
}

async function find(log: Pick<LogReader, 'read'>, user: string, id: string): Promise<Entry> {
  const number = entryNumber(id);
  const entry = number === null ? null : await read(log, user, number);
  // The whole id is compared: the number alone could be guessed.
  if (entry && entry.id === id) return entry;
  throw new DeployError('status:db:not_found', 'There is no such entry of yours; see the list of your webhooks.');
}

async function read(log: Pick<LogReader, 'read'>, user: string, number: number): Promise<Entry | null> {
  try {
    return await log.read(user, number);
  } catch (error) {
    throw new DeployError('status:db:get_by_id', 'The entry could not be read; ask again.', { cause: error });
  }
}
