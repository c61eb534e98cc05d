import { fieldsIn } from '../api/body.ts';
import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import type { Transferred } from '../api/shapes/applications.ts';
import { appRef, required } from '../core/app-ref.ts';
import { unreadable } from '../core/apps/history.ts';
import { badParameter } from '../core/errors.ts';
import { isObject } from '../core/json.ts';
import { folderPath } from '../core/payload/folder.ts';
import type { SourcePorts } from './ports.ts';

export const MAX_BODY_KIB = 16;

/**
 * `POST …/transfer`: gives the application to another repository, or to another folder of it; that deploys nothing yet.
 * Throws `deploy:repohost:no_pkg_json` when the repository host does not answer, or does not show the repository.
 */
export async function transfer(request: HttpRequest, ports: SourcePorts): Promise<HttpAnswer> {
  const { user, app } = appRef(request);
  const { host, owner, name, path } = repositoryIn(fieldsIn(request, MAX_BODY_KIB));
  const claim = await ports.facts.appOwner(user, app).catch(unreadable);
  if (claim === null) required(await ports.applications.find({ user, app }), request);
  const { branch, environment, pullRequest } = claim ?? {};
  if (pullRequest) throw badParameter(`${app} is a preview, which belongs to its pull request.`);
  const repository = { host, owner, name, ...(path !== undefined && { path }) };
  const token = await ports.token(user, host);
  const [tip, { id }] = await Promise.all([
    ports.host(host).tip(repository, branch ?? 'HEAD', token),
    ports.host(host).repository(repository, token),
  ]);
  await ports.facts.transferApp(user, app, { ...repository, id, environment });
  const hook = `Its webhook must call this service: "hooks hook" there shows how.`;
  const next =
    branch === undefined || tip
      ? `The next push of ${branch ?? 'a branch'} to ${owner}/${name} is deployed. ${hook}`
      : `${owner}/${name} has no branch ${branch}: ${app} follows the branch of its next push. ${hook}`;
  const body: Transferred = { repository, next };
  return { status: 200, body };
}

/** Returns the repository, and the folder in it, that a body names. Throws `request:bad_parameter`. */
export function repositoryIn({ repository }: ReturnType<typeof fieldsIn>) {
  const { host, owner, name, path } = isObject(repository) ? repository : {};
  if (typeof host !== 'string' || typeof owner !== 'string' || typeof name !== 'string') {
    throw badParameter('The body is JSON: {"repository": {"host": "github", "owner": "ann", "name": "shop"}}.');
  }
  return { host, owner, name, path: typeof path === 'string' ? folderPath(path) : undefined };
}
