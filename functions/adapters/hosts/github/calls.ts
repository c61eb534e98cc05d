import * as v from 'valibot';
import { isWorkInProgress, type RepositoryRef } from '../../../core/payload/delivery.ts';
import type { OpenPullRequest } from '../../../core/ports/repository-host.ts';
import { encodePath } from '../coordinates.ts';
import type { BranchCalls, Dialect } from '../dialect.ts';
import { described, headCommit, pullNumber, textOrNone } from '../fields.ts';

export function repositoryPath({ owner, name }: RepositoryRef): string {
  return `repos/${owner}/${name}`;
}

/** Returns the calls that GitHub, Gitea and Forgejo have in common; they differ in what is read of a branch. */
export function githubCalls(schema: BranchCalls['schema']) {
  return {
    repositoryPath,
    setStatus: (api, commit, { state, targetUrl, description, context }) => {
      const json = { state, target_url: targetUrl, description, context };
      return api.write({ method: 'POST', path: `${repositoryPath(commit)}/statuses/${commit.sha}`, json });
    },
    // https://docs.github.com/rest/branches/branches#get-a-branch
    branch: (where, branch) => ({ path: `${repositoryPath(where)}/branches/${encodePath(branch)}`, schema }),
    pullRequest: (where, number) => ({ path: `${repositoryPath(where)}/pulls/${number}`, open: ['open'] }),
  } satisfies Partial<Dialect>;
}

const place = v.nullish(v.object({ id: v.nullish(v.number()) }));
const end = v.object({ repo: place, repo_id: v.nullish(v.number()) });

/** The pull requests of GitHub, Gitea and Forgejo. A repository that was deleted is one of a stranger too. */
export const githubPullRequests = v.array(
  v.pipe(
    v.object({
      number: pullNumber,
      title: textOrNone,
      draft: v.nullish(v.boolean()),
      updated_at: textOrNone,
      user: v.nullish(v.object({ login: textOrNone })),
      head: v.object({ ...end.entries, ref: v.string(), sha: headCommit }),
      base: end,
    }),
    v.transform(({ number, title, draft, updated_at, user, head, base }): OpenPullRequest => {
      const from = head.repo?.id ?? head.repo_id ?? null;
      return {
        number,
        sha: head.sha,
        ...described({ branch: head.ref, title, author: user?.login, updatedAt: updated_at }),
        draft: draft ?? isWorkInProgress(title),
        fromFork: from === null || from !== (base.repo?.id ?? base.repo_id),
      };
    }),
  ),
);
