import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { findEntry } from '../core/entry/find.ts';
import { row } from '../core/entry/views.ts';
import { includeDocs } from '../core/parameters.ts';
import type { LogReader } from '../core/ports/log.ts';

/** `GET /1/status/<user>/changes/<id>`: that entry. An unknown or another user's id is `status:db:not_found`. */
export function change(log: Pick<LogReader, 'read'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ user, params, query, base }) => {
    const docs = includeDocs(query);
    const entry = await findEntry(log, user, params.id ?? '');
    return { status: 200, headers: { 'cache-control': 'no-cache' }, body: row(entry, { base, docs }) };
  };
}
