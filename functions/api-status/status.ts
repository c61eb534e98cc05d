import { dispatch } from '../api/dispatch.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { fitting, logPage, pageIn, pageLinks } from '../api/paging.ts';
import { includeDocs, oneOf } from '../api/parameters.ts';
import type { LastRefused } from '../api/shapes/log.ts';
import { row } from '../api/views.ts';
import { DeployError, failsAs } from '../core/errors.ts';
import type { LogReader } from '../core/ports/log.ts';
import type { RefusedCalls } from '../core/ports/refused-calls.ts';

interface StatusPorts {
  readonly log: Pick<LogReader, 'page'>;
  readonly calls: Pick<RefusedCalls, 'last'>;
  /** What applications lack on this machine: each page says it. */
  readonly notice?: string | undefined;
}

/** Returns the endpoints of the log, and of the calls that have no entry there. */
export const status = dispatch('api-status', {
  'GET /1/status/{user}/webhooks': page,
  'GET /1/status/{user}/webhooks/{application}': page,
  'GET /1/status/{user}/refused': lastRefused,
});

/**
 * `GET …/webhooks[/<application>]`: a page of the log, newest first. An application without entries is
 * `status:db:not_found`, a user without entries an empty page. A page has fewer rows than were asked for when more
 * would not fit into an answer.
 */
async function page(request: HttpRequest, { log, notice }: StatusPorts): Promise<HttpAnswer> {
  const docs = oneOf(request.query, includeDocs);
  const { skip, limit } = pageIn(request.query, logPage);
  const app = request.params.application ?? null;
  const unreadable = failsAs('status:db:query_fail', 'The page could not be read; ask again.');
  const { total, entries } = await log.page({ user: request.user, app, skip, limit }).catch(unreadable);
  if (app !== null && total === 0) {
    throw new DeployError('status:db:not_found', `There is no entry of an application "${app}".`);
  }
  const rows = fitting(entries.map((entry) => row(entry, { base: request.base, docs })));
  const next = skip + (rows.length < entries.length ? rows.length : limit);
  return {
    status: 200,
    headers: { 'cache-control': 'no-cache', ...pageLinks(request, { skip, limit, next }, total) },
    body: { total, skip, limit, ...(notice !== undefined && { notice }), rows },
  };
}

/** `GET …/refused`: the last call of the webhook that was refused, in the last 24 hours. */
async function lastRefused({ user }: HttpRequest, { calls }: StatusPorts): Promise<HttpAnswer> {
  const unreadable = failsAs('status:db:query_fail', 'The last refused call could not be read; ask again.');
  const call = await calls.last(user).catch(unreadable);
  const body: LastRefused = { refused: call && { ...call, at: new Date(call.at).toISOString() } };
  return { status: 200, body };
}
