import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative } from 'node:path';
import type { HookChannel } from '../delivery/attended-pushes.ts';
import { isGitService, isPush, serveGit } from '../git/smart-http.ts';
import { isRepositoryName, REPOSITORY_NAME_RULE, type RepositoryName } from '../store/folders.ts';
import type { Repositories } from '../store/repositories.ts';
import { type Caller, CHALLENGE, checkTrusted, visible } from './access.ts';
import type { ServerDependencies } from './dependencies.ts';
import { RestError } from './rest-answer.ts';

/** A request of git: `/<owner>/<name>.git/<service>`; `.git` may be missing, as on GitHub. */
interface GitPath extends RepositoryName {
  readonly service: string;
}

/** Returns the repository and the service that a path names, or null when it is not a path of git. */
export function gitPathOf([owner = '', folder = '', ...rest]: readonly string[]): GitPath | null {
  const service = rest.join('/');
  if (!isGitService(service)) return null;
  return { owner, name: folder.replace(/\.git$/, ''), service };
}

interface GitExchange {
  readonly url: URL;
  readonly caller: Caller;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Serves `git clone`, `fetch` and `push`. The owner's first push to a missing repository creates it; until the objects
 * arrive, git is shown an empty one, so that a push that is given up leaves nothing behind.
 */
export async function serveSmartHttp(deps: ServerDependencies, path: GitPath, exchange: GitExchange): Promise<void> {
  const { url, caller, request, response } = exchange;
  const { owner, name, service } = path;
  const pushes = isPush(service, url.searchParams);
  const repository = deps.repositories.find({ owner, name });
  // Git sends its login only after a 401, so anonymous requests for what they may not see get 401 instead of 404.
  if (caller.kind === 'anonymous' && (pushes || repository?.private !== false)) {
    throw new RestError(401, 'Requires authentication', CHALLENGE);
  }
  if (pushes) await preparePush(deps.repositories, caller, path);
  else visible(deps.repositories, caller, { owner, name });
  const showsEmpty = repository === null && service === 'info/refs';
  const served = showsEmpty ? await deps.repositories.empty() : deps.folders.ofRepository({ owner, name });
  const attending = (pusher: string) => ({
    attend: (hook: HookChannel) => deps.pushes.attend({ folder: served, pusher }, hook),
  });
  const gitRequest = {
    path: `/${relative(deps.folders.root, served)}/${service}`,
    query: url.searchParams.toString(),
    user: caller.kind === 'anonymous' ? null : caller.login,
    ...(service === 'git-receive-pack' && caller.kind !== 'anonymous' && attending(caller.login)),
  };
  await serveGit({ backend: deps.backend, folder: deps.folders.root }, gitRequest, { request, response });
}

/**
 * Creates the repository when the objects of its first push arrive. Throws 403 or 422 when the caller may not push
 * there.
 */
async function preparePush(
  repositories: Repositories,
  caller: Caller,
  { owner, name, service }: GitPath,
): Promise<void> {
  checkTrusted(caller, owner);
  if (!isRepositoryName({ owner, name })) throw new RestError(422, REPOSITORY_NAME_RULE);
  if (service === 'git-receive-pack') await repositories.create({ owner, name });
}
