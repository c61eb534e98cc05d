import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { entityTag, hasTag } from '../core/entity-tag.ts';
import type { Badge } from '../core/entry/outcome.ts';
import { DeployError, failsAs } from '../core/errors.ts';
import { folderPath } from '../core/payload/folder.ts';
import type { LogReader } from '../core/ports/log.ts';
import { drawings } from './drawings.ts';

/**
 * `GET /1/badge/<user>/<repository>.svg` and `GET /<user>/<repository>.svg`, without login: the badge of the
 * repository's last deploy, with `?path=` that of the application in a folder of it. An unknown user or repository has
 * the same badge as one without deploys.
 */
export function badge(log: Pick<LogReader, 'badge'>): (request: HttpRequest) => Promise<HttpAnswer> {
  return async ({ params, query, headers }) => {
    const { user = '', repository = '' } = params;
    if (!repository.endsWith('.svg')) {
      throw new DeployError('request:not_found', 'A badge has the address /<user>/<repository>.svg.');
    }
    const message = await read(log, user, repository.slice(0, -'.svg'.length), folderPath(query.path));
    const svg = drawings[message];
    const etag = entityTag(svg);
    const caching = { 'cache-control': 'no-cache, max-age=0', etag };
    if (hasTag(headers['if-none-match'], etag)) return { status: 304, headers: caching };
    return { status: 200, headers: { ...caching, 'content-type': 'image/svg+xml;charset=utf-8' }, body: svg };
  };
}

/** No user has a longer name. The database refuses to read a key of more than 2048 bytes. */
const MAX_USER_BYTES = 255;

async function read(log: Pick<LogReader, 'badge'>, ...asked: Parameters<LogReader['badge']>): Promise<Badge> {
  const [user, repository] = asked;
  if (!user || !repository || Buffer.byteLength(user) > MAX_USER_BYTES) return 'unknown';
  const unreadable = failsAs('status:db:query_fail', 'The badge could not be read; ask again.');
  return log.badge(...asked).catch(unreadable);
}
