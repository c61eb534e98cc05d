import * as v from 'valibot';
import type { CommitRef } from '../../../core/payload/delivery.ts';
import type { Comparison } from '../../../core/ports/repository-host.ts';
import { encodePath } from '../coordinates.ts';
import { compareHistories, type Dialect } from '../dialect.ts';
import { commitId, textOrNone } from '../fields.ts';
import { githubCalls, githubPullRequests, repositoryPath } from '../github/calls.ts';
import { LISTED } from '../pull-request.ts';
import type { Api } from '../rest.ts';
import { pairWith } from './pairing.ts';

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

/**
 * The calls of its API (https://docs.gitea.com/development/api-usage, and https://codeberg.org/api/swagger for
 * Forgejo).
 */
export const dialect: Dialect = {
  ...githubCalls(Branch),
  headers: { accept: 'application/json' },
  login: (token) => ({ authorization: `token ${token}` }),
  fileRequest: (commit, path) => ({
    path: `${repositoryPath(commit)}/raw/${encodePath(path)}?ref=${commit.sha}`,
    accept: '*/*',
  }),
  commitRequest: (commit) => ({ path: `${repositoryPath(commit)}/git/commits/${commit.sha}?${brief}` }),
  tarballRequests: (commit) => [{ path: `${repositoryPath(commit)}/archive/${commit.sha}.tar.gz`, accept: '*/*' }],
  compare,
  // A page is at most `MAX_RESPONSE_ITEMS`, whatever it is asked for.
  pullRequests: (where) => ({
    path: `${repositoryPath(where)}/pulls?state=open&sort=recentupdate&limit=${LISTED}`,
    schema: githubPullRequests,
  }),
  pair: pairWith,
};

/** Omits fields that are expensive to compute and not used. */
const brief = 'stat=false&verification=false&files=false';
const Commits = v.array(v.object({ sha: v.string() }));

/**
 * Compares by listing the commits of one history without the other, one per page: `compare/{a}...{b}` would list all of
 * them with their files. Both commits are checked first, because the list responds 500 for an unknown one.
 */
async function compare(api: Api, base: CommitRef, head: string): Promise<Comparison> {
  for (const commit of [base, { ...base, sha: head }]) {
    const response = await api.send(dialect.commitRequest(commit));
    if (response.status !== 200) throw await api.refusal(response);
    response.discard();
  }
  return compareHistories(base.sha, head, async (commit, other) => {
    const path = `${repositoryPath(base)}/commits?sha=${commit}&not=${other}&limit=1&${brief}`;
    return (await api.read(Commits, { path })).length > 0;
  });
}
