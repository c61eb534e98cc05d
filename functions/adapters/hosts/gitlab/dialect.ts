import * as v from 'valibot';
import type { CommitRef, RepositoryRef } from '../../../core/payload/delivery.ts';
import type { CommitStatus, Comparison } from '../../../core/ports/repository-host.ts';
import type { Dialect } from '../dialect.ts';
import { commitId, described, headCommit, pullNumber, textOrNone } from '../fields.ts';
import { canSee } from '../files.ts';
import { LISTED } from '../pull-request.ts';
import type { Api } from '../rest.ts';
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
  tarballRequests: (commit) => [
    { path: `${project(commit)}/repository/archive.tar.gz?sha=${commit.sha}`, accept: '*/*' },
  ],
  setStatus,
  compare,
  repositoryPath: project,
  // https://docs.gitlab.com/api/branches/#get-single-repository-branch
  branch: (repository, branch) => ({
    path: `${project(repository)}/repository/branches/${encodeURIComponent(branch)}`,
    schema: Branch,
  }),
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
      iid: pullNumber,
      title: textOrNone,
      sha: headCommit,
      source_branch: v.string(),
      updated_at: textOrNone,
      draft: v.nullish(v.boolean()),
      work_in_progress: v.nullish(v.boolean()),
      author: v.nullish(v.object({ name: textOrNone })),
      // Null when the fork was deleted.
      source_project_id: v.nullish(v.number()),
      target_project_id: v.number(),
    }),
    v.transform((merge) => ({
      number: merge.iid,
      sha: merge.sha,
      draft: merge.draft ?? merge.work_in_progress ?? false,
      ...described({
        branch: merge.source_branch,
        title: merge.title,
        author: merge.author?.name,
        updatedAt: merge.updated_at,
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
async function setStatus(api: Api, commit: CommitRef, status: CommitStatus): Promise<void> {
  if (status.state === 'pending') return;
  const { targetUrl, description, context } = status;
  const state = states[status.state];
  const json = { state, name: context, target_url: targetUrl, description };
  const path = `${project(commit)}/statuses/${commit.sha}`;
  const response = await api.send({ method: 'POST', path, json });
  if (response.status === 201 || response.status === 200) return response.discard();
  const refused = await api.refusal(response);
  // Many versions respond 400 when the status already has that state, but also for other errors.
  if (response.status === 400 && (await isAlreadySet(api, commit, status))) return;
  throw refused;
}

/** Returns whether the newest status of that name already has the state to set. */
async function isAlreadySet(api: Api, commit: CommitRef, status: CommitStatus): Promise<boolean> {
  const name = encodeURIComponent(status.context);
  const path = `${project(commit)}/repository/commits/${commit.sha}/statuses?name=${name}&order_by=id&sort=desc&per_page=1`;
  const [newest] = await api.read(Statuses, { path });
  return newest?.name === status.context && newest.status === states[status.state];
}

/**
 * Compares by the merge base: `repository/compare` would respond with all commits and diffs between the two.
 *
 * https://docs.gitlab.com/api/repositories/#merge-base
 */
async function compare(api: Api, base: CommitRef, head: string): Promise<Comparison> {
  const refs = [base.sha, head].map((sha) => `refs%5B%5D=${sha}`).join('&');
  const response = await api.send({ path: `${project(base)}/repository/merge_base?${refs}` });
  if (response.status === 404) {
    // Also for histories without a common commit.
    const notFound = await api.refusal(response);
    for (const sha of [base.sha, head]) {
      if (!(await canSee(api, dialect.commitRequest({ ...base, sha })))) throw notFound;
    }
    return 'diverged';
  }
  const { id } = await api.parse(MergeBase, response);
  if (base.sha === head) return 'identical';
  if (id === base.sha) return 'ahead';
  return id === head ? 'behind' : 'diverged';
}

/** Returns the API path of a project, whose full path is encoded as one segment. */
function project({ owner, name }: RepositoryRef): string {
  return `projects/${encodeURIComponent(`${owner}/${name}`)}`;
}
