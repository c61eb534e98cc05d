import * as v from 'valibot';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import { commitId, textOrNone, tipOf } from '../branch-tip.ts';
import { encodePath } from '../coordinates.ts';
import { type Dialect, post } from '../dialect.ts';
import { refusal } from '../failures.ts';
import { parsed } from '../pairing.ts';
import { githubPullRequests, LISTED } from '../pull-request.ts';
import { anonymous, PUBLIC_WEB } from './anonymous.ts';
import { setDeployment } from './deployments.ts';
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
      token === null ? [{ path: anonymous.tarball(commit), token }] : dialect.tarballRequests(commit, token),
  };
}

/** The calls of its API (https://docs.github.com/rest/using-the-rest-api/getting-started-with-the-rest-api). */
const dialect: Dialect = {
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
  setDeployment: (rest, { repository: where, deployment, token }, requestContext) => {
    const place = { path: `${repository(where)}/deployments`, token };
    return setDeployment(rest, { place, deployment }, requestContext);
  },
  // https://docs.github.com/rest/issues/comments
  comments: (where, number) => {
    const path = `${repository(where)}/issues`;
    return {
      path: `${path}/${number}/comments`,
      pageQuery: 'per_page=100',
      update: { method: 'PATCH', path: (id) => `${path}/comments/${id}` },
    };
  },
  async compare(rest, { base, head, token }, requestContext) {
    // Page 1 lists the changed files with their patches, which can be megabytes; only `status` is needed
    // (https://docs.github.com/rest/commits/commits#compare-two-commits).
    const path = `${repository(base)}/compare/${base.sha}...${head}?per_page=1&page=2`;
    const response = await rest({ path, token }, requestContext);
    if (response.status !== 200) throw await refusal(requestContext, response);
    return (await parsed(Compared, response, requestContext)).status;
  },
  // https://docs.github.com/rest/branches/branches#get-a-branch
  tip: (rest, { repository: where, branch, token }, requestContext) => {
    const path = repository(where);
    const calls = { branch: { path: `${path}/branches/${encodePath(branch)}`, token }, repository: { path, token } };
    return tipOf(rest, branch, { ...calls, schema: Branch }, requestContext);
  },
  pullRequest: (where, number) => {
    const path = repository(where);
    return { path: `${path}/pulls/${number}`, repositoryPath: path, open: ['open'] };
  },
  // https://docs.github.com/rest/pulls/pulls#list-pull-requests
  pullRequests: (where) => ({
    path: `${repository(where)}/pulls?state=open&sort=updated&direction=desc&per_page=${LISTED}`,
    schema: githubPullRequests,
  }),
  pair: pairWith,
};

function repository({ owner, name }: RepositoryRef): string {
  return `repos/${owner}/${name}`;
}
