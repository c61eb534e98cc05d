import { createHash } from 'node:crypto';
import { type LoggedCommit, readCommits } from '../git/commit-log.ts';
import type { BareRepository } from '../git/git.ts';
import type { PendingDelivery } from './pending-deliveries.ts';

/** The repository of a push, for its payload. */
export interface PayloadContext extends BareRepository {
  /** Address of the host. */
  readonly url: string;
  readonly private: boolean;
  readonly defaultBranch: string;
}

/** As many as GitHub lists; the service accepts payloads up to 5 MiB. */
const MAX_COMMITS = 20;

/** Returns GitHub's payload of a push (https://docs.github.com/webhooks/webhook-events-and-payloads#push). */
export async function pushPayload(context: PayloadContext, move: PendingDelivery): Promise<Record<string, unknown>> {
  const web = `${context.url}/${move.owner}/${move.name}`;
  const created = isZero(move.before);
  const deleted = isZero(move.after);
  const [forced, newest] = await Promise.all([
    !created && !deleted && isAncestor(context, move.before, move.after).then((is) => !is),
    deleted ? [] : readCommits(context, newCommits(move, created)),
  ]);
  const head = deleted ? undefined : await headOf(context, move, newest);
  return {
    ref: move.ref,
    before: move.before,
    after: move.after,
    base_ref: null,
    created,
    deleted,
    forced,
    compare: `${web}/compare/${comparison(move, created, deleted)}`,
    commits: newest.toReversed().map((commit) => shown(commit, web)),
    head_commit: head ? shown(head, web) : null,
    repository: repositoryOf(context, move, web),
    pusher: { name: move.pusher, email: head?.committer.email ?? null },
    sender: { login: move.pusher, id: numberOf(move.pusher), type: 'User', html_url: `${context.url}/${move.pusher}` },
  };
}

/** The newest new commit, unless the push brought none, or the ref is an annotated tag. */
async function headOf(
  context: PayloadContext,
  { after }: PendingDelivery,
  [newest]: readonly LoggedCommit[],
): Promise<LoggedCommit | undefined> {
  if (newest?.id === after) return newest;
  const [head] = await readCommits(context, ['--max-count=1', after]);
  return head;
}

/** Whether an id is all zeros: the ref did not exist before, or was deleted. */
export function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

function newCommits({ ref, before, after }: PendingDelivery, created: boolean): string[] {
  // For a new branch, the commits that no other ref contains; for an existing one, those since its previous commit.
  // Not `--all`, which includes HEAD: it may refer to this branch.
  const known = created ? ['--not', `--exclude=${ref}`, '--glob=refs/*'] : [`^${before}`];
  return [`--max-count=${MAX_COMMITS}`, after, ...known];
}

async function isAncestor({ git, folder }: PayloadContext, before: string, after: string): Promise<boolean> {
  return (await git.ask(['-C', folder, 'merge-base', '--is-ancestor', before, after])) !== null;
}

function comparison({ ref, before, after }: PendingDelivery, created: boolean, deleted: boolean): string {
  if (created) return ref.replace(/^refs\/(?:heads|tags)\//, '');
  return `${before.slice(0, 12)}...${deleted ? '000000000000' : after.slice(0, 12)}`;
}

function shown(commit: LoggedCommit, web: string): Record<string, unknown> {
  const { id, tree, message, timestamp, author, committer, added, removed, modified } = commit;
  const url = `${web}/commit/${id}`;
  return { id, tree_id: tree, distinct: true, message, timestamp, url, author, committer, added, removed, modified };
}

function repositoryOf(context: PayloadContext, move: PendingDelivery, web: string): Record<string, unknown> {
  const { owner, name } = move;
  return {
    id: numberOf(`${owner}/${name}`),
    name,
    full_name: `${owner}/${name}`,
    private: context.private,
    owner: { name: owner, login: owner, id: numberOf(owner), type: 'User', html_url: `${context.url}/${owner}` },
    html_url: web,
    url: web,
    clone_url: `${web}.git`,
    description: null,
    fork: false,
    pushed_at: Math.floor(move.at / 1000),
    default_branch: context.defaultBranch,
  };
}

/** Returns a stable number for a name, in place of the id in GitHub's database. */
function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0);
}
