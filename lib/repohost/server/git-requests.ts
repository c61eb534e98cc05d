import { existsSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { relative } from 'node:path';
import type { UsedToken } from '../../../functions/core/ports/accounts.ts';
import type { GitBackend } from '../git/backend.ts';
import { isGitService, isPush, serveGit } from '../git/smart-http.ts';
import type { OpenRepositories } from '../local-host.ts';
import type { AttendedPushes, HookChannel } from '../push/attended-pushes.ts';
import { isRepositoryName, REPOSITORY_NAME_RULE, type RepositoryName } from '../store/folders.ts';
import { type Caller, loginNeeded, Refused, requireRights, visible } from './access.ts';

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

const NOT_MADE_HERE =
  'The folder of this repository was not made by the service: move it away, and push to this address from a clone of it.';

export interface GitServing extends OpenRepositories {
  readonly backend: GitBackend;
  readonly pushes: Pick<AttendedPushes, 'attend'>;
}

interface GitExchange {
  readonly url: URL;
  readonly caller: Caller;
  readonly token: UsedToken | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/**
 * Serves `git clone`, `fetch` and `push`. The owner's first push to a missing repository creates it; until the objects
 * arrive, git is shown an empty one, so that a push that is given up leaves nothing behind.
 */
export async function serveSmartHttp(deps: GitServing, path: GitPath, exchange: GitExchange): Promise<void> {
  const { url, caller, token, request, response } = exchange;
  const { owner, name, service } = path;
  const pushes = isPush(service, url.searchParams);
  const repository = deps.repositories.find({ owner, name });
  // So anonymous requests for what they may not see get 401 instead of 404.
  if (caller === null && (pushes || repository?.private !== false)) throw loginNeeded();
  if (pushes) requireRights({ token });
  if (pushes) await preparePush(deps, caller, path);
  else visible(deps.repositories, caller, { owner, name });
  const showsEmpty = repository === null && service === 'info/refs';
  const served = showsEmpty ? await deps.repositories.empty() : deps.folders.ofRepository({ owner, name });
  const attending = (pusher: string) => ({
    attend: (hook: HookChannel) => deps.pushes.attend({ folder: served, pusher, token: token?.name }, hook),
  });
  const gitRequest = {
    path: `/${relative(deps.folders.root, served)}/${service}`,
    query: url.searchParams.toString(),
    user: caller,
    ...(service === 'git-receive-pack' && caller !== null && attending(caller)),
  };
  await serveGit({ backend: deps.backend, folder: deps.folders.root }, gitRequest, { request, response });
}

/**
 * Creates the repository when the objects of its first push arrive. Throws 403, 409 or 422 when the caller may
 * not push there.
 */
async function preparePush(
  { repositories, folders }: OpenRepositories,
  caller: Caller,
  { owner, name, service }: GitPath,
): Promise<void> {
  if (caller !== owner) throw new Refused(403, `This belongs to ${owner}, and you are logged in as ${caller}.`);
  if (!isRepositoryName({ owner, name })) throw new Refused(422, REPOSITORY_NAME_RULE);
  const isOther = repositories.find({ owner, name }) === null && existsSync(folders.ofRepository({ owner, name }));
  if (isOther) throw new Refused(409, NOT_MADE_HERE);
  if (service === 'git-receive-pack') await repositories.create({ owner, name });
}
