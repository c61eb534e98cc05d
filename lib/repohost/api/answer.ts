import { FULL_DISK, isFull, OperatorError } from '../../files/errors.ts';
import { startArchive } from '../git/archive.ts';
import { findCommit } from '../git/revisions.ts';
import { type Caller, callerOf } from './access.ts';
import type { ServerDependencies } from './dependencies.ts';
import { answerRest, isRestPath } from './rest.ts';
import { json, notFound, type RestAnswer, RestError } from './rest-answer.ts';

/** A request of the API or for a tarball, however it came. */
interface ApiRequest {
  readonly method: string;
  readonly url: URL;
  readonly authorization: string | undefined;
  readonly accept: string;
  readonly body: AsyncIterable<Uint8Array>;
}

const TARBALLS = '_codeload';

/** Whether a path, in decoded segments, is one of the API or of a tarball. */
export function isApiPath(path: readonly string[]): boolean {
  return isRestPath(path) || path[0] === TARBALLS;
}

/** Returns the decoded segments of a path. Throws 404. */
export function segments({ pathname }: URL): string[] {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent);
  } catch {
    throw notFound();
  }
}

/** Answers a request as GitHub does. Never throws. */
export async function answerApi(deps: ServerDependencies, request: ApiRequest): Promise<RestAnswer> {
  try {
    const path = segments(request.url);
    const caller = await callerOf(request.authorization, deps.logins);
    if (path[0] === TARBALLS) return await answerArchive(deps, path, request.url);
    const call = { ...request, path, caller, query: request.url.searchParams };
    const answer = await answerRest(deps, call).catch((error: unknown) => answerOf(refusalOf(error, deps)));
    return { ...answer, headers: { ...rateLimit(caller), ...answer.headers } };
  } catch (error) {
    return answerOf(refusalOf(error, deps));
  }
}

/** Returns a failure as it is answered: with what the operator can mend, and paths below the data folder only. */
export function refusalOf(error: unknown, { log, folders }: Pick<ServerDependencies, 'log' | 'folders'>): RestError {
  if (error instanceof RestError) return error;
  log(`The repository host failed: ${error instanceof Error ? error.message : String(error)}`);
  if (isFull(error)) return new RestError(507, FULL_DISK);
  if (error instanceof OperatorError) return new RestError(500, error.message.replaceAll(`${folders.root}/`, ''));
  return new RestError(500, 'Server Error');
}

export function answerOf({ status, message, headers }: RestError): RestAnswer {
  return json(status, { message, documentation_url: 'https://docs.github.com/rest' }, headers);
}

/** The headers that clients expect; no rate limit is enforced. */
function rateLimit(caller: Caller): RestAnswer['headers'] {
  const limit = caller.kind === 'anonymous' ? 60 : 5000;
  return {
    'x-ratelimit-limit': String(limit),
    'x-ratelimit-remaining': String(limit - 1),
    'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 3600),
  };
}

async function answerArchive(deps: ServerDependencies, path: readonly string[], url: URL): Promise<RestAnswer> {
  const [, owner = '', name = '', , sha = ''] = path;
  const repository = deps.repositories.find({ owner, name });
  if (repository === null || !deps.links.isGenuine({ owner, name, sha }, url.searchParams)) throw notFound();
  const bare = { git: deps.git, folder: repository.folder };
  if ((await findCommit(bare, sha)) !== sha) throw notFound();
  const root = `${owner}-${name}-${sha}`;
  const headers = {
    'content-type': 'application/x-gzip',
    'content-disposition': `attachment; filename=${root}.tar.gz`,
  };
  return { status: 200, headers, body: startArchive(bare, { sha, root }) };
}
