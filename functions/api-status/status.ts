import { row } from '../core/entry/views.ts';
import { DeployError } from '../core/errors.ts';
import { includeDocs, wholeNumber } from '../core/parameters.ts';
import type { LogReader, Page, PageQuery } from '../core/ports/log-reader.ts';
import type { HttpAnswer, HttpRequest } from '../triggers/http.ts';
import { fitting } from './fitting.ts';

/**
 * `GET /1/status/<user>/webhooks[/<application>]`: a page of the log, newest first. An application without entries is
 * `status:db:not_found`, a user without entries an empty page. A page has fewer rows than were asked for when more would
 * not fit into an answer.
 */
export function status(log: Pick<LogReader, 'page'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async (request) => {
    const docs = includeDocs(request.query);
    const query = readQuery(request);
    const page = await read(log, query);
    if (query.app !== null && page.total === 0) {
      throw new DeployError('status:db:not_found', `There is no entry of an application "${query.app}".`);
    }
    const { limit, skip } = query;
    const rows = fitting(page.entries.map((entry) => row(entry, { base: request.base, docs })));
    const next = skip + (rows.length < page.entries.length ? rows.length : limit);
    const link = linkHeader(request, { ...query, next }, page.total);
    return {
      status: 200,
      headers: { 'cache-control': 'no-cache', ...(link && { link }) },
      body: { total: page.total, skip, limit, rows },
    };
  };
}

function readQuery({ user, params, query }: HttpRequest): PageQuery {
  return {
    user,
    app: params.application ?? null,
    skip: wholeNumber(query, 'skip', { preset: 0, from: 0, to: Number.MAX_SAFE_INTEGER }),
    limit: wholeNumber(query, 'limit', { preset: 10, from: 1, to: 100 }),
  };
}

async function read(log: Pick<LogReader, 'page'>, query: PageQuery): Promise<Page> {
  try {
    return await log.page(query);
  } catch (error) {
    throw new DeployError('status:db:query_fail', 'The page could not be read; ask again.', { cause: error });
  }
}

/** Returns the `Link` header with the next and the previous page (RFC 8288); null when there is neither. */
function linkHeader(
  request: HttpRequest,
  { skip, limit, next }: PageQuery & { readonly next: number },
  total: number,
): string | null {
  const links = [
    ...(next < total ? [link(request, next, limit, 'next')] : []),
    ...(skip > 0 ? [link(request, Math.max(0, skip - limit), limit, 'prev')] : []),
  ];
  return links.length > 0 ? links.join(', ') : null;
}

function link({ base, path, query }: HttpRequest, skip: number, limit: number, rel: string): string {
  const search = new URLSearchParams({
    limit: String(limit),
    skip: String(skip),
    ...(query.include_docs && { include_docs: query.include_docs }),
  });
  return `<${base}${path.replace(/\/+$/, '')}?${search}>; rel="${rel}"`;
}
