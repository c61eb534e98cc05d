import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { LastRefused } from '../api/shapes/log.ts';
import { row } from '../core/entry/views.ts';
import { DeployError, failsAs } from '../core/errors.ts';
import { fitting, pageIn, pageLinks } from '../core/paging.ts';
import { includeDocs } from '../core/parameters.ts';
import type { LogReader, PageQuery } from '../core/ports/log.ts';
import type { RefusedCalls } from '../core/ports/refused-calls.ts';

const PRESET_LIMIT = 10;

/**
 * `GET /1/status/<user>/webhooks[/<application>]`: a page of the log, newest first. An application without entries is
 * `status:db:not_found`, a user without entries an empty page. A page has fewer rows than were asked for when more
 * would not fit into an answer. With `notice` each page says what applications lack on this machine.
 */
export function status(
  log: Pick<LogReader, 'page'>,
  calls: Pick<RefusedCalls, 'last'>,
  notice?: string,
): (request: HttpRequest) => Promise<HttpAnswer> {
  const refused = lastRefused(calls);
  return async (request) => {
    if (request.resource === '/1/status/{user}/refused') return refused(request);
    const docs = includeDocs(request.query);
    const query = readQuery(request);
    const page = await log.page(query).catch(failsAs('status:db:query_fail', 'The page could not be read; ask again.'));
    if (query.app !== null && page.total === 0) {
      throw new DeployError('status:db:not_found', `There is no entry of an application "${query.app}".`);
    }
    const { limit, skip } = query;
    const rows = fitting(page.entries.map((entry) => row(entry, { base: request.base, docs })));
    const next = skip + (rows.length < page.entries.length ? rows.length : limit);
    return {
      status: 200,
      headers: { 'cache-control': 'no-cache', ...pageLinks(request, { skip, limit, next }, page.total) },
      body: { total: page.total, skip, limit, ...(notice !== undefined && { notice }), rows },
    };
  };
}

function readQuery({ user, params, query }: HttpRequest): PageQuery {
  return { user, app: params.application ?? null, ...pageIn(query, PRESET_LIMIT) };
}

/** `GET /1/status/<user>/refused`: the last call of the webhook that was refused, in the last 24 hours. */
function lastRefused(calls: Pick<RefusedCalls, 'last'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ user }) => {
    const unreadable = 'The last refused call could not be read; ask again.';
    const call = await calls.last(user).catch(failsAs('status:db:query_fail', unreadable));
    const body: LastRefused = { refused: call && { ...call, at: new Date(call.at).toISOString() } };
    return { status: 200, headers: { 'cache-control': 'no-store' }, body };
  };
}
