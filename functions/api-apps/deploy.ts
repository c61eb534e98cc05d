import type { HttpAnswer, HttpRequest } from '../api/http.ts';
import { commitInfo } from '../core/entry/commit-info.ts';
import type { Entry } from '../core/entry/entry.ts';
import { DeployError } from '../core/errors.ts';
import { branchNamed } from '../core/payload/branch-name.ts';
import { nameInLog } from './found-app.ts';
import { latestDeploy } from './latest-deploy.ts';
import type { AppsPorts } from './ports.ts';
import { commitOf, record } from './record.ts';
import { BY_HAND } from './redeploy.ts';

/**
 * `POST …/deploy?ref=<branch or commit>`: deploys the tip of a branch (by default that of the newest deploy), or a
 * commit, from the repository of the application. It does not wait for CI. Throws `deploy:repohost:no_pkg_json` when
 * the repository host does not answer, or does not show the repository.
 */
export async function deploy(request: HttpRequest, ports: AppsPorts): Promise<HttpAnswer> {
  const name = await nameInLog(request, ports);
  const latest = await latestDeploy(request.user, name, ports);
  if (!latest?.repository || !latest.branch) {
    const detail = `The log has no recent deploy of ${name}, so its repository is not known. Push a commit.`;
    throw new DeployError('status:db:not_found', detail);
  }
  const wanted = await wantedCommit(request, latest, ports);
  const draft = { ...commitOf(latest), appName: null, ...wanted, stage: 'check', forced: true, ci: BY_HAND } as const;
  return record(request, draft, { isNewestPush: true }, ports);
}

const COMMIT_ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i;

/** Returns the commit that is wanted; one that is named by its id counts for the branch of the newest deploy. */
async function wantedCommit(
  { user, query }: HttpRequest,
  { repository, branch: known }: Entry,
  { host, token }: AppsPorts,
): Promise<Pick<Entry, 'sha' | 'branch' | 'ref' | 'message' | 'author'>> {
  const { ref = known ?? '' } = query;
  if (COMMIT_ID.test(ref)) return { sha: ref.toLowerCase(), branch: known, ref: null, message: null, author: null };
  const branch = branchNamed(ref, 'ref');
  if (!repository) throw new Error('A deploy has a repository.');
  const tip = await host(repository.host).tip(repository, branch, await token(user, repository.host));
  if (tip) return { sha: tip.sha, branch, ref: `refs/heads/${branch}`, ...commitInfo(tip) };
  const where = `${repository.owner}/${repository.name}`;
  const detail = `${where} has no branch ${branch}. The parameter ref is a branch, or the whole id of a commit.`;
  throw new DeployError('request:bad_parameter', detail);
}
