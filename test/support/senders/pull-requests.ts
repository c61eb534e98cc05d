import type { CommitRef } from '../../../functions/core/payload/delivery.ts';
import type { HookCall } from '../../../functions/core/ports/sender.ts';
import { githubRepository } from './github-push.ts';
import { call } from './sender-call.ts';

/** What a call says of a pull request. */
export interface PullRequestCall {
  readonly action: string;
  readonly number: number;
  /** Its newest commit, in the repository that has it. */
  readonly commit: CommitRef;
  /** The id of that repository, by which its host knows it from others. */
  readonly repositoryId?: number;
  readonly branch?: string;
  /** The commit before, which GitHub sends with `synchronize`. */
  readonly before?: CommitRef;
  readonly fromFork?: boolean;
  readonly draft?: boolean;
  readonly title?: string;
  readonly delivery?: string;
}

/** A call with all its headers. */
type PullRequestHook = HookCall & { readonly headers: Record<string, string> };

let deliveries = 0;

/** The repository with GitHub's fields, at the host of the test. */
function repositoryOf(commit: CommitRef) {
  const repository = githubRepository('https://memory.example.com', commit);
  const owner = { ...repository.owner, id: 21031067, type: 'User' };
  return { ...repository, id: 186853002, owner, clone_url: `${repository.html_url}.git` };
}

/**
 * The event `pull_request` of GitHub, in the shape of https://docs.github.com/webhooks/webhook-events-and-payloads#pull_request
 * and of the published examples (`@octokit/webhooks-examples`), without the fields that nobody reads.
 */
export function githubPullRequest(said: PullRequestCall): PullRequestHook {
  const { action, number, commit, branch = 'changes', before, fromFork = false, draft = false, title = 'Blue' } = said;
  const known = repositoryOf(commit);
  const repository = { ...known, id: said.repositoryId ?? known.id };
  const from = fromFork ? { ...repository, id: 99, full_name: `mallory/${commit.name}` } : repository;
  const body = {
    action,
    number,
    ...(before && { before: before.sha, after: commit.sha }),
    pull_request: {
      ...{ number, title, draft, state: action === 'closed' ? 'closed' : 'open', merged: false },
      user: { login: 'octocat' },
      head: { label: `${fromFork ? 'mallory' : commit.owner}:${branch}`, ref: branch, sha: commit.sha, repo: from },
      base: { label: `${commit.owner}:main`, ref: 'main', sha: '0'.repeat(39).concat('1'), repo: repository },
    },
    repository,
    sender: { login: 'octocat' },
  };
  return withPreviews(body, { 'x-github-event': 'pull_request', 'x-github-delivery': deliveryOf(said) });
}

/**
 * The same of Gitea (`PullRequestPayload` in modules/structs/hook.go of go-gitea/gitea), as its versions of 2024 send it:
 * the call for a new commit has `repo_id` without `repo`, and none names the commit before.
 */
export function giteaPullRequest(said: PullRequestCall): PullRequestHook {
  const { action, number, commit, branch = 'changes', fromFork = false, draft = false, title = 'Blue' } = said;
  const repository = { ...repositoryOf(commit), id: 6 };
  const place = (id: number) => ({ repo_id: id, ...(action !== 'synchronized' && { repo: { ...repository, id } }) });
  const body = {
    action,
    number,
    pull_request: {
      ...{ id: number, number, title: draft ? `WIP: ${title}` : title, state: action === 'closed' ? 'closed' : 'open' },
      user: { id: 1, login: 'octocat', full_name: '' },
      base: { label: 'main', ref: 'main', sha: '0'.repeat(39).concat('1'), ...place(6) },
      head: { label: branch, ref: branch, sha: commit.sha, ...place(fromFork ? 7 : 6) },
    },
    requested_reviewer: null,
    repository,
    sender: { id: 1, login: 'octocat' },
    ...{ commit_id: '', review: null },
  };
  const event = { 'x-gitea-event': 'pull_request', 'x-gogs-event': 'pull_request', 'x-github-event': 'pull_request' };
  return withPreviews(body, { ...event, 'x-gitea-delivery': deliveryOf(said) });
}

/** The actions of GitHub, as GitLab calls them. */
const gitlabActions = new Map([
  ['opened', 'open'],
  ['reopened', 'reopen'],
  ['closed', 'close'],
  ['ready_for_review', 'update'],
]);

/**
 * A merge request of GitLab, in the shape of
 * https://docs.gitlab.com/user/project/integrations/webhook_events/#merge-request-events, without the fields that nobody
 * reads: `oldrev` is sent only for an update that has a new commit, and `changes` names what else was changed.
 */
export function gitlabMergeRequest(said: PullRequestCall): PullRequestHook {
  const { action, number, commit, branch = 'changes', before, fromFork = false, draft = false, title = 'Blue' } = said;
  const address = `https://memory.example.com/${commit.owner}/${commit.name}`;
  const body = {
    ...{ object_kind: 'merge_request', event_type: 'merge_request' },
    user: { id: 1, name: 'Root', username: 'root' },
    project: {
      ...{ id: 14, name: commit.name, visibility_level: 20, path_with_namespace: `${commit.owner}/${commit.name}` },
      ...{ web_url: address, git_http_url: `${address}.git` },
    },
    object_attributes: {
      ...{
        id: 99,
        iid: number,
        title,
        draft,
        work_in_progress: draft,
        state: action === 'closed' ? 'closed' : 'opened',
      },
      ...{ source_branch: branch, source_project_id: fromFork ? 15 : 14, target_branch: 'main', target_project_id: 14 },
      last_commit: { id: commit.sha, message: 'Blue', author: { name: 'octocat', email: '[REDACTED]' } },
      action: gitlabActions.get(action) ?? action,
      ...(before && { oldrev: before.sha }),
    },
    changes: action === 'ready_for_review' ? { draft: { previous: true, current: false } } : {},
  };
  return withPreviews(body, { 'x-gitlab-event': 'Merge Request Hook', 'idempotency-key': deliveryOf(said) });
}

/** The events of Bitbucket for the actions of GitHub. A declined pull request is never opened again. */
const bitbucketEvents = new Map([
  ['opened', 'created'],
  ['merged', 'fulfilled'],
  ['closed', 'rejected'],
  ['ready_for_review', 'updated'],
]);

/**
 * A pull request of Bitbucket Cloud, in the shape of
 * https://support.atlassian.com/bitbucket-cloud/docs/event-payloads/#Pull-request-events, without the fields that nobody
 * reads: of commits it has 12 digits. Those of a fork are in the fork only, so that their `commit` is, too.
 */
export function bitbucketPullRequest(said: PullRequestCall): PullRequestHook {
  const { action, number, commit, branch = 'changes', fromFork = false, draft = false, title = 'Blue' } = said;
  const event = bitbucketEvents.get(action) ?? action;
  const place = (owner: string) => ({
    ...{ type: 'repository', name: 'Shop', full_name: `${owner}/${commit.name}`, is_private: false },
    links: { html: { href: `https://memory.example.com/${owner}/${commit.name}` } },
  });
  const into = place(fromFork ? 'ann' : commit.owner);
  const body = {
    actor: { type: 'user', display_name: 'hubot' },
    pullrequest: {
      ...{ type: 'pullrequest', id: number, title, draft, state: states.get(event) ?? 'OPEN' },
      author: { type: 'user', display_name: 'octocat', nickname: 'octocat' },
      source: {
        branch: { name: branch },
        commit: { type: 'commit', hash: commit.sha.slice(0, 12) },
        repository: place(commit.owner),
      },
      destination: { branch: { name: 'main' }, commit: { type: 'commit', hash: '0'.repeat(12) }, repository: into },
      ...{ merge_commit: null, close_source_branch: false, reviewers: [], participants: [] },
    },
    repository: into,
  };
  const headers = {
    'x-event-key': `pullrequest:${event}`,
    'x-request-uuid': deliveryOf(said),
    'x-attempt-number': '1',
  };
  return withPreviews(body, headers);
}

const states = new Map([
  ['fulfilled', 'MERGED'],
  ['rejected', 'DECLINED'],
]);

function withPreviews(body: unknown, headers: Record<string, string>): PullRequestHook {
  return { ...call(body, headers), headers, query: { previews: 'true' } };
}

function deliveryOf({ delivery }: PullRequestCall): string {
  deliveries += 1;
  return delivery ?? `delivery-${deliveries}`;
}
