import * as v from 'valibot';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import type {} from '../../../core/ports/repository-host.ts';
import { encodePath, isCommitId } from '../coordinates.ts';
import { type Dialect, post } from '../dialect.ts';
import { notUnderstood, refusal } from '../failures.ts';
import { readText } from '../http/body.ts';
import { parsed } from '../pairing.ts';
import { pairWith } from './pairing.ts';

const MAX_TIP_BYTES = 64 * 1024;
const Compared = v.object({ status: v.picklist(['ahead', 'behind', 'identical', 'diverged']) });

/** The calls of its API (https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api). */
export const dialect: Dialect = {
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  login: (token) => ({ authorization: `Bearer ${token}` }),
  // https://docs.github.com/rest/repos/contents#get-repository-content
  fileRequest: (commit, path) => ({
    path: `${repository(commit)}/contents/${encodePath(path)}?ref=${commit.sha}`,
    accept: 'application/vnd.github.raw+json',
  }),
  commitRequest: (commit) => ({
    path: `${repository(commit)}/commits/${commit.sha}`,
    accept: 'application/vnd.github.sha',
  }),
  tarballRequests: (commit, token) => [{ path: `${repository(commit)}/tarball/${commit.sha}`, token }],
  async setStatus(rest, { commit, status, token }, requestContext) {
    const { state, targetUrl, description, context } = status;
    const json = { state, target_url: targetUrl, description, context };
    await post(rest, { path: `${repository(commit)}/statuses/${commit.sha}`, token, json }, requestContext);
  },
  async compare(rest, { base, head, token }, requestContext) {
    // Page 1 lists the changed files with their patches, which can be megabytes; only `status` is needed
    // (https://docs.github.com/rest/commits/commits#compare-two-commits).
    const path = `${repository(base)}/compare/${base.sha}...${head}?per_page=1&page=2`;
    const response = await rest({ path, token }, requestContext);
    if (response.status !== 200) throw await refusal(requestContext, response);
    return (await parsed(Compared, response, requestContext)).status;
  },
  // https://docs.github.com/rest/commits/commits#get-a-commit
  async tip(rest, { repository: where, branch, token }, requestContext) {
    const path = `${repository(where)}/commits/heads/${encodePath(branch)}`;
    const response = await rest({ path, token, accept: 'application/vnd.github.sha' }, requestContext);
    // The repository is visible, and has no such branch, or is empty.
    const hasNone = response.status === 422 || response.status === 409;
    if (!hasNone && response.status !== 200) throw await refusal(requestContext, response);
    const sha = (await readText(response, MAX_TIP_BYTES)).trim();
    if (hasNone) return null;
    if (isCommitId(sha)) return sha;
    throw notUnderstood(requestContext);
  },
  pair: pairWith,
};

function repository({ owner, name }: RepositoryRef): string {
  return `repos/${owner}/${name}`;
}
