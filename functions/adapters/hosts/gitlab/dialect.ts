import * as v from 'valibot';
import type { RepositoryRef } from '../../../core/payload/delivery.ts';
import type { CommitStatus, Comparison } from '../../../core/ports/repository-host.ts';
import { commitId, textOrNone, tipOf } from '../branch-tip.ts';
import type { CompareRequest, Dialect, StatusRequest } from '../dialect.ts';
import { type RequestContext, refusal } from '../failures.ts';
import { canSee } from '../files.ts';
import { parsed } from '../pairing.ts';
import { described, headCommit, LISTED, pullNumber } from '../pull-request.ts';
import type { Rest } from '../rest.ts';
import { pairWith } from './pairing.ts';

/** The calls of its API (https://docs.gitlab.com/api/rest/). */
export const dialect: Dialect = {
  nestedOwners: true,
  headers: { accept: 'application/json' },
  login: (token) => ({ 'private-token': token }),
  // https://docs.gitlab.com/api/repository_files/#get-raw-file-from-repository
  fileRequest: (commit, path) => ({
    path: `${project(commit)}/repository/files/${encodeURIComponent(path)}/raw?ref=${commit.sha}`,
    accept: '*/*',
  }),
  commitRequest: (commit) => ({ path: `${project(commit)}/repository/commits/${commit.sha}?stats=false` }),
  // Limited to a few per minute (https://docs.gitlab.com/api/repositories/#get-file-archive); a 429 is retried later.
  tarballRequests: (commit, token) => [
    { path: `${project(commit)}/repository/archive.tar.gz?sha=${commit.sha}`, token, accept: '*/*' },
  ],
  setStatus,
  // https://docs.gitlab.com/api/notes/#merge-requests
  comments: (repository, number) => {
    const path = `${project(repository)}/merge_requests/${number}/notes`;
    return {
      path,
      pageQuery: 'sort=asc&order_by=created_at&per_page=100',
      update: { method: 'PUT', path: (id) => `${path}/${id}` },
    };
  },
  compare,
  repositoryPath: project,
  // https://docs.gitlab.com/api/branches/#get-single-repository-branch
  tip: (rest, { repository, branch, token }, requestContext) => {
    const path = project(repository);
    const calls = {
      branch: { path: `${path}/repository/branches/${encodeURIComponent(branch)}`, token },
      repository: { path, token },
    };
    return tipOf(rest, branch, { ...calls, schema: Branch }, requestContext);
  },
  // https://docs.gitlab.com/api/merge_requests/#get-single-mr
  pullRequest: (repository, number) => ({
    path: `${project(repository)}/merge_requests/${number}`,
    // A merge locks it for some seconds.
    open: ['opened', 'locked'],
  }),
  // https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
  pullRequests: (repository) => ({
    path: `${project(repository)}/merge_requests?state=opened&order_by=updated_at&sort=desc&per_page=${LISTED}`,
    schema: MergeRequests,
  }),
  pair: pairWith,
};

const states: Readonly<Record<CommitStatus['state'], string>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
};
const Statuses = v.array(v.object({ name: v.string(), status: v.string() }));
const Branch = v.pipe(
  v.object({
    name: v.string(),
    commit: v.object({ id: commitId, message: textOrNone, author_name: textOrNone }),
  }),
  v.transform(({ name, commit: { id, message, author_name } }) => ({
    name,
    sha: id,
    message: message ?? null,
    author: author_name ?? null,
  })),
);
const MergeRequests = v.array(
  v.pipe(
    v.object({
      ...{ iid: pullNumber, title: textOrNone, sha: headCommit, source_branch: v.string(), updated_at: textOrNone },
      ...{ draft: v.nullish(v.boolean()), work_in_progress: v.nullish(v.boolean()) },
      author: v.nullish(v.object({ name: textOrNone })),
      // Null when the fork was deleted.
      source_project_id: v.nullish(v.number()),
      target_project_id: v.number(),
    }),
    v.transform((merge) => ({
      ...{ number: merge.iid, sha: merge.sha, draft: merge.draft ?? merge.work_in_progress ?? false },
      ...described({
        ...{ branch: merge.source_branch, title: merge.title },
        ...{ author: merge.author?.name, updatedAt: merge.updated_at },
      }),
      fromFork: merge.source_project_id !== merge.target_project_id,
    })),
  ),
);
const MergeBase = v.object({ id: v.string() });

/**
 * https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
 *
 * `pending` is not set: a status joins the newest pipeline of its commit, which then could not finish before the
 * deploy, while the deploy waits for that pipeline
 * (https://docs.gitlab.com/ci/ci_cd_for_external_repos/external_commit_statuses).
 */
async function setStatus(
  rest: Rest,
  { commit, status, token }: StatusRequest,
  requestContext: RequestContext,
): Promise<void> {
  if (status.state === 'pending') return;
  const { targetUrl, description, context } = status;
  const state = states[status.state];
  const json = { state, name: context, target_url: targetUrl, description };
  const path = `${project(commit)}/statuses/${commit.sha}`;
  const response = await rest({ method: 'POST', path, token, json }, requestContext);
  if (response.status === 201 || response.status === 200) return response.discard();
  const refused = await refusal(requestContext, response);
  // Many versions respond 400 when the status already has that state, but also for other errors.
  if (response.status === 400 && (await isAlreadySet(rest, { commit, status, token }, requestContext))) return;
  throw refused;
}

/** Returns whether the newest status of that name already has the state to set. */
async function isAlreadySet(
  rest: Rest,
  { commit, status, token }: StatusRequest,
  requestContext: RequestContext,
): Promise<boolean> {
  const name = encodeURIComponent(status.context);
  const path = `${project(commit)}/repository/commits/${commit.sha}/statuses?name=${name}&order_by=id&sort=desc&per_page=1`;
  const response = await rest({ path, token }, requestContext);
  const [newest] = await parsed(Statuses, response, requestContext);
  return newest?.name === status.context && newest.status === states[status.state];
}

/**
 * Compares by the merge base: `repository/compare` would respond with all commits and diffs between the two.
 *
 * https://docs.gitlab.com/api/repositories/#merge-base
 */
async function compare(
  rest: Rest,
  { base, head, token }: CompareRequest,
  requestContext: RequestContext,
): Promise<Comparison> {
  const refs = [base.sha, head].map((sha) => `refs%5B%5D=${sha}`).join('&');
  const response = await rest({ path: `${project(base)}/repository/merge_base?${refs}`, token }, requestContext);
  if (response.status === 404)
    return withoutBase(rest, { base, head, token }, requestContext, await refusal(requestContext, response));
  const { id } = await parsed(MergeBase, response, requestContext);
  if (base.sha === head) return 'identical';
  if (id === base.sha) return 'ahead';
  return id === head ? 'behind' : 'diverged';
}

/** Handles the 404 for an inaccessible project, and for histories without a common commit. */
async function withoutBase(
  rest: Rest,
  request: CompareRequest,
  requestContext: RequestContext,
  notFound: Error,
): Promise<Comparison> {
  const { base, head, token } = request;
  for (const commit of [base, { ...base, sha: head }]) {
    if (!(await canSee(rest, dialect, { commit, token }, requestContext))) throw notFound;
  }
  return 'diverged';
}

/** Returns the API path of a project, whose full path is encoded as one segment. */
function project({ owner, name }: RepositoryRef): string {
  return `projects/${encodeURIComponent(`${owner}/${name}`)}`;
}
