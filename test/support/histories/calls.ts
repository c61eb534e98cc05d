import type { CommitRef, RepositoryRef } from '../../../functions/core/payload/delivery.ts';
import type { Host } from '../../../functions/core/ports/repository-host.ts';
import type { HookCall } from '../../../functions/core/ports/sender.ts';
import {
  bitbucketPullRequest,
  giteaPullRequest,
  githubPullRequest,
  gitlabMergeRequest,
  type PullRequestCall,
} from '../senders/pull-requests.ts';
import { after, before, call, fixture } from '../senders/sender-call.ts';

export const HOSTS = ['github', 'gitlab', 'gitea', 'forgejo', 'bitbucket'] as const;
export type HostKind = (typeof HOSTS)[number];

/** The branch that the webhook deploys. */
export const BRANCH = 'master';
const NONE = '0'.repeat(40);

// biome-ignore lint/suspicious/noExplicitAny: the fixtures are of many senders.
type Body = any;

interface Told {
  readonly id: string;
  readonly commit: CommitRef;
  /** The second paragraph of the commit's message. */
  readonly words: string;
  readonly branch: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

export interface PushTold extends Omit<Told, 'commit'> {
  readonly commit: CommitRef | null;
  readonly before: CommitRef | null;
  readonly forced: boolean;
  /** The branch had all commits before: GitLab lists none then. */
  readonly isBare?: boolean;
}

/** Which of the checks of a commit: 1 is a status of another CI, 2 a second workflow of the name of the first, 3 of any other CI. */
export type Check = 0 | 1 | 2 | 3;

export interface RunTold extends Told {
  readonly outcome: 'passed' | 'failed' | 'pending';
  readonly check: Check;
  /** From 1. */
  readonly attempt: number;
  /** Differs between the commits. */
  readonly run: number;
  /** It is a run of GitHub's merge queue. */
  readonly ofQueue?: boolean;
}

/** The call of a fixture about the repository of the histories, at another time. */
function about(name: string, { id, commit, words, branch, at }: Told): { headers: Record<string, string>; body: Body } {
  const { headers, body } = fixture(name);
  const time = new Date(at).toISOString().slice(0, 19);
  const said = JSON.stringify(body)
    .replace(/octo-(?:org|group\/tools|team)/g, 'ann')
    .replaceAll('hello-deploy', 'shop')
    .replaceAll(after, commit.sha)
    .replaceAll('The platform sets PORT.', words)
    .replaceAll('2024-01-10T09:12:30', time)
    .replaceAll('2024-01-10 09:12:30', time.replace('T', ' '))
    .replace(/"main"/g, `"${branch}"`)
    .replace(/(refs\/heads\/|origin\/)main/g, `$1${branch}`);
  const isId = /-delivery$|^idempotency-key$|^x-request-uuid$/;
  const own = Object.entries(headers).map(([key, value]) => [key, isId.test(key) ? id : (value ?? '')]);
  return { headers: Object.fromEntries(own), body: JSON.parse(said) };
}

/** The call of a host about a push, or the end of a branch. */
export function pushCall(host: HostKind, { before: old, commit, forced, isBare, ...told }: PushTold): HookCall {
  const named = { ...told, commit: commit ?? { host: '', owner: '', name: '', sha: NONE } };
  if (commit === null && (host === 'gitea' || host === 'forgejo')) {
    const { headers, body } = about(`${host}/delete-branch`, named);
    return call({ ...body, ref: told.branch }, headers);
  }
  const { headers, body } = about(`${host}/push`, named);
  if (host === 'bitbucket') {
    const [change] = body.push.changes;
    const text = JSON.stringify(change.old).replace(before, old?.sha ?? NONE);
    const moved = { ...change, forced, old: old && JSON.parse(text), new: commit && change.new };
    return call({ ...body, push: { changes: [{ ...moved, created: !old, closed: !commit }] } }, headers);
  }
  const flags = host === 'github' && { forced, created: old === null, deleted: commit === null };
  const none = host === 'gitlab' && commit === null && { checkout_sha: null };
  const bare = host === 'gitlab' && isBare && { commits: [], total_commits_count: 0 };
  return call({ ...body, before: old?.sha ?? NONE, ...flags, ...none, ...bare }, headers);
}

/** The call of a CI provider about a run: of the host's own, or of another one. Null where it makes none. */
export function runCall(host: HostKind, told: RunTold): HookCall | null {
  if (told.check === 3) return anyCi({ ...told, build: told.run * 100 + told.attempt });
  return told.check === 1 ? ofStatus(told) : ownRun[host](told);
}

/** The call that is documented for any other CI. */
export function anyCi({ build, ...told }: Told & { readonly outcome: string; readonly build?: number }): HookCall {
  const { headers, body } = about('ci/success', told);
  return call({ ...body, state: told.outcome, ...(build !== undefined && { build }) }, headers);
}

const ownRun: Readonly<Record<HostKind, (told: RunTold) => HookCall | null>> = {
  github: (told) => workflowRun('github-actions/success', told),
  gitea: (told) => workflowRun('gitea-actions/success', told),
  gitlab: (told) => {
    const { headers, body } = about('gitlab-ci/success', told);
    const status = { passed: 'success', failed: 'failed', pending: 'running' }[told.outcome];
    const id = told.run * 100 + told.attempt;
    const finished_at = told.outcome === 'pending' ? null : body.object_attributes.finished_at;
    return call({ ...body, object_attributes: { ...body.object_attributes, status, id, finished_at } }, headers);
  },
  // It calls when a run has ended.
  forgejo: (told) => {
    if (told.outcome === 'pending') return null;
    const { headers, body } = about('forgejo-actions/success', told);
    const status = told.outcome === 'passed' ? 'success' : 'failure';
    const event = Object.entries(headers).map(([key, value]) => [
      key,
      /-event(?:-type)?$/.test(key) ? `action_run_${status}` : value,
    ]);
    const run = { ...body.run, status, id: told.run * 10 + told.check, workflow_id: fileOf(told) };
    return call({ ...body, action: status, run }, Object.fromEntries(event));
  },
  bitbucket: (told) => {
    const { headers, body } = about('bitbucket-pipelines/successful', told);
    const state = { passed: 'SUCCESSFUL', failed: 'FAILED', pending: 'INPROGRESS' }[told.outcome];
    return call({ ...body, commit_status: { ...body.commit_status, state, key: `build-${told.check}` } }, headers);
  },
};

function fileOf({ check }: RunTold): string {
  return check === 2 ? 'lint.yml' : 'tests.yml';
}

/** Two workflows of one name, in two files. */
function workflowRun(name: string, told: RunTold): HookCall {
  const { headers, body } = about(name, told);
  const { outcome, attempt, run, check, ofQueue, branch, commit } = told;
  const path = body.workflow_run.path.replace('tests.yml', fileOf(told));
  const file = check === 2 ? { id: typeof body.workflow.id === 'number' ? 89 : 'lint.yml' } : {};
  const isPending = outcome === 'pending';
  const ended = isPending ? { status: 'in_progress', conclusion: null } : { status: 'completed' };
  const workflow_run = {
    ...body.workflow_run,
    ...{ id: run * 10 + check, run_attempt: attempt, path, conclusion: outcome === 'failed' ? 'failure' : 'success' },
    ...(check === 2 && name.startsWith('github') && { workflow_id: 89 }),
    ...ended,
    ...(ofQueue && { event: 'merge_group', head_branch: `gh-readonly-queue/${branch}/pr-4-${commit.sha}` }),
  };
  const action = isPending ? 'in_progress' : 'completed';
  return call({ ...body, action, workflow: { ...body.workflow, ...file, path }, workflow_run }, headers);
}

/** A status that a CI has set at the end of a build. This one says nothing of the commit's message, nor of the repository's id. */
function ofStatus(told: RunTold): HookCall | null {
  if (told.outcome === 'pending') return null;
  const number = told.run * 100 + told.attempt;
  const { headers, body } = about('github-status/success', { ...told, id: `status-${number}` });
  const { commit: _, repository, ...status } = body;
  const { id: __, ...named } = repository;
  const state = told.outcome === 'passed' ? 'success' : 'failure';
  return call({ ...status, id: number, state, repository: named }, headers);
}

const pulls = {
  github: githubPullRequest,
  gitea: giteaPullRequest,
  forgejo: giteaPullRequest,
  gitlab: gitlabMergeRequest,
  bitbucket: bitbucketPullRequest,
};
const moves = {
  github: 'synchronize',
  gitea: 'synchronized',
  forgejo: 'synchronized',
  gitlab: 'update',
  bitbucket: 'updated',
};

/** The ids of the repository in the fixtures of a host. */
const ids = {
  github: 501,
  gitea: 140,
  forgejo: 140,
  gitlab: 15,
  bitbucket: '{0d5a1c2e-0000-11ee-8000-0000000005fe}',
};

export function idAt(host: HostKind): string {
  return String(ids[host]);
}

/** The call as it is made after the repository was renamed to `store`. */
export function afterRename({ body, headers, query }: HookCall): HookCall {
  const renamed = JSON.stringify(body)
    .replaceAll(/\bann\/shop\b/g, 'ann/store')
    .replaceAll('"shop"', '"store"');
  return { ...call(JSON.parse(renamed), headers as Record<string, string>), query };
}

/** Has a host find the repository by its new name too, as hosts lead from the former one to that. */
export function renameAt<H extends Host>(host: H): void {
  const methods = ['file', 'tarball', 'setStatus', 'compare', 'wholeCommit', 'tip', 'repository'] as const;
  for (const method of methods) {
    const ask = host[method] as (ref: RepositoryRef, ...rest: unknown[]) => never;
    Object.assign(host, {
      [method]: (ref: RepositoryRef, ...rest: unknown[]) => ask({ ...ref, name: 'shop' }, ...rest),
    });
  }
}

/** The call of a host about a pull request; the action `moves` is that of a new commit. */
export function pullCall(host: HostKind, told: PullRequestCall): HookCall {
  const action = told.action === 'moves' ? moves[host] : told.action;
  const { body, headers }: { body: Body; headers: Record<string, string> } = pulls[host]({ ...told, action });
  const key = host === 'gitlab' ? 'project' : 'repository';
  const id = { [host === 'bitbucket' ? 'uuid' : 'id']: ids[host] };
  const forgejo = { 'x-forgejo-event': 'pull_request', 'x-forgejo-delivery': told.delivery ?? '' };
  return call({ ...body, [key]: { ...body[key], ...id } }, { ...headers, ...(host === 'forgejo' && forgejo) });
}
