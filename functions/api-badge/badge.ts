import { createHash } from 'node:crypto';
import { DeployError } from '../core/errors.ts';
import type { Badge, LogReader } from '../core/ports/log-reader.ts';
import type { HttpAnswer, HttpRequest } from '../triggers/http.ts';
import { drawings } from './drawings.ts';

/**
 * `GET /1/badge/<user>/<repository>.svg` and `GET /<user>/<repository>.svg`, without login: the badge of the
 * repository's last deploy. An unknown user or repository has the same badge as one without deploys.
 */
export function badge(log: Pick<LogReader, 'badge'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ params, headers }) => {
    const { user = '', repository = '' } = params;
    if (!repository.endsWith('.svg')) {
      throw new DeployError('request:not_found', 'A badge has the address /<user>/<repository>.svg.');
    }
    const message = await read(log, user, repository.slice(0, -'.svg'.length));
    const svg = drawings[message];
    const etag = `"${createHash('sha256').update(svg).digest('hex').slice(0, 32)}"`;
    const caching = { 'cache-control': 'no-cache, max-age=0', etag };
    if (headers['if-none-match']?.includes(etag)) return { status: 304, headers: caching };
    return { status: 200, headers: { ...caching, 'content-type': 'image/svg+xml;charset=utf-8' }, body: svg };
  };
}

async function read(log: Pick<LogReader, 'badge'>, user: string, repository: string): Promise<Badge> {
  if (!user || !repository) return 'unknown';
  try {
    return await log.badge(user, repository);
  } catch (error) {
    throw new DeployError('status:db:query_fail', 'The badge could not be read; ask again.', { cause: error });
  }
}
