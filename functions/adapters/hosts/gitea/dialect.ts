import * as v from 'valibot';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import type { Comparison } from '../../../core/ports/repository-host.ts';
import { commitId, textOrNone, tipOf } from '../branch-tip.ts';
import { encodePath } from '../coordinates.ts';
import { type CompareRequest, compareHistories, type Dialect, post } from '../dialect.ts';
import { type RequestContext, refusal } from '../failures.ts';
import { parsed } from '../pairing.ts';
import { githubPullRequests, LISTED } from '../pull-request.ts';
import type { Rest } from '../rest.ts';
import { pairWith } from './pairing.ts';

/**
 * The calls of its API (https://docs.gitea.com/development/api-usage, and https://codeberg.org/api/swagger for
 * Forgejo).
 */
export const dialect: Dialect = {
  headers: { accept: 'application/json' },
  login: (token) => ({ authorization: `token ${token}` }),
  fileRequest: (commit, path) => ({
    path: `${repository(commit)}/raw/${encodePath(path)}?ref=${commit.sha}`,
    accept: '*/*',
  }),
  commitRequest: (commit) => ({ path: `${repository(commit)}/git/commits/${commit.sha}?${brief}` }),
  tarballRequests: (commit, token) => [
    { path: `${repository(commit)}/archive/${commit.sha}.tar.gz`, token, accept: '*/*' },
  ],
  async setStatus(rest, { commit, status, token }, requestContext) {
    const { state, targetUrl, description, context } = status;
    const json = { state, target_url: targetUrl, description, context };
    await post(rest, { path: `${repository(commit)}/statuses/${commit.sha}`, token, json }, requestContext);
  },
  // Lists all in one page.
  comments: (where, number) => {
    const path = `${repository(where)}/issues`;
    return {
      path: `${path}/${number}/comments`,
      pageQuery: 'limit=50',
      update: { method: 'PATCH', path: (id) => `${path}/comments/${id}` },
    };
  },
  compare,
  tip: (rest, { repository: where, branch, token }, requestContext) => {
    const path = repository(where);
    const calls = { branch: { path: `${path}/branches/${encodePath(branch)}`, token }, repository: { path, token } };
    return tipOf(rest, branch, { ...calls, schema: Branch }, requestContext);
  },
  pullRequest: (where, number) => {
    const path = repository(where);
    return { path: `${path}/pulls/${number}`, repositoryPath: path, open: ['open'] };
  },
  // A page is at most `MAX_RESPONSE_ITEMS`, whatever it is asked for.
  pullRequests: (where) => ({
    path: `${repository(where)}/pulls?state=open&sort=recentupdate&limit=${LISTED}`,
    schema: githubPullRequests,
  }),
  pair: pairWith,
};

/** Omits fields that are expensive to compute and not used. */
const brief = 'stat=false&verification=false&files=false';
const Branch = v.pipe(
  v.object({
    name: v.string(),
    commit: v.object({
      id: commitId,
      message: textOrNone,
      author: v.nullish(v.object({ name: textOrNone, username: textOrNone })),
    }),
  }),
  v.transform(({ name, commit: { id, message, author } }) => ({
    name,
    sha: id,
    message: message ?? null,
    author: author?.name ?? author?.username ?? null,
  })),
);
const Commits = v.array(v.object({ sha: v.string() }));

/**
 * Compares by listing the commits of one history without the other, one per page: `compare/{a}...{b}` would list all of
 * them with their files. Both commits are checked first, because the list responds 500 for an unknown one.
 */
async function compare(
  rest: Rest,
  { base, head, token }: CompareRequest,
  requestContext: RequestContext,
): Promise<Comparison> {
  for (const commit of [base, { ...base, sha: head }]) {
    const response = await rest({ ...dialect.commitRequest(commit), token }, requestContext);
    if (response.status !== 200) throw await refusal(requestContext, response);
    response.discard();
  }
  return compareHistories(base.sha, head, async (commit, other) => {
    const path = `${repository(base)}/commits?sha=${commit}&not=${other}&limit=1&${brief}`;
    const response = await rest({ path, token }, requestContext);
    if (response.status !== 200) throw await refusal(requestContext, response);
    return (await parsed(Commits, response, requestContext)).length > 0;
  });
}

function repository({ owner, name }: RepositoryRef): string {
  return `repos/${owner}/${name}`;
}
