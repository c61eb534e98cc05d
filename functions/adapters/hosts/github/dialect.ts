import * as v from 'valibot';
import { encodePath } from '../coordinates.ts';
import type { Dialect } from '../dialect.ts';
import { commitId, textOrNone } from '../fields.ts';
import { LISTED } from '../pull-request.ts';
import { anonymous, PUBLIC_WEB } from './anonymous.ts';
import { githubCalls, githubPullRequests, repositoryPath } from './calls.ts';
import { pairWith } from './pairing.ts';

const Compared = v.object({ status: v.picklist(['ahead', 'behind', 'identical', 'diverged']) });
const Branch = v.pipe(
  v.object({
    name: v.string(),
    commit: v.object({
      sha: commitId,
      commit: v.object({ message: textOrNone, author: v.nullish(v.object({ name: textOrNone })) }),
    }),
  }),
  v.transform(({ name, commit: { sha, commit } }) => ({
    name,
    sha,
    message: commit.message ?? null,
    author: commit.author?.name ?? null,
  })),
);

/** Returns how GitHub is called; without a token, the public one by addresses outside its API. */
export function githubDialect(web: string): Dialect {
  if (web !== PUBLIC_WEB) return dialect;
  return {
    ...dialect,
    fileRequest: (commit, path, token) =>
      token === null ? { path: anonymous.file(commit, path) } : dialect.fileRequest(commit, path, token),
    tarballRequests: (commit, token) =>
      token === null ? [{ path: anonymous.tarball(commit) }] : dialect.tarballRequests(commit, token),
  };
}

/** The calls of its API (https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api). */
const dialect: Dialect = {
  ...githubCalls(Branch),
  headers: { accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' },
  login: (token) => ({ authorization: `Bearer ${token}` }),
  // https://docs.github.com/rest/repos/contents#get-repository-content
  fileRequest: (commit, path) => ({
    path: `${repositoryPath(commit)}/contents/${encodePath(path)}?ref=${commit.sha}`,
    accept: 'application/vnd.github.raw+json',
  }),
  commitRequest: (commit) => ({
    path: `${repositoryPath(commit)}/commits/${commit.sha}`,
    accept: 'application/vnd.github.sha',
  }),
  tarballRequests: (commit) => [{ path: `${repositoryPath(commit)}/tarball/${commit.sha}` }],
  async compare(api, base, head) {
    // Page 1 lists the changed files with their patches, which can be megabytes; only `status` is needed
    // (https://docs.github.com/rest/commits/commits#compare-two-commits).
    const path = `${repositoryPath(base)}/compare/${base.sha}...${head}?per_page=1&page=2`;
    return (await api.read(Compared, { path })).status;
  },
  // https://docs.github.com/rest/pulls/pulls#list-pull-requests
  pullRequests: (where) => ({
    path: `${repositoryPath(where)}/pulls?state=open&sort=updated&direction=desc&per_page=${LISTED}`,
    schema: githubPullRequests,
  }),
  pair: pairWith,
};
