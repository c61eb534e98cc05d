import { createHash } from 'node:crypto';
import { type LoggedCommit, readCommits } from '../git/commit-log.ts';
import type { Git } from '../git/git.ts';
import type { OwedDelivery } from './journal.ts';

/** What the payload needs to know beside the move itself. */
export interface PayloadContext {
  readonly git: Git;
  /** The bare repository. */
  readonly folder: string;
  /** Address of the host. */
  readonly url: string;
  readonly private: boolean;
}

/** As many as GitHub listed for years; senders that read the head need one, and the service's limit is 5 MiB. */
const maxCommits = 20;

/** GitHub's payload of a push (https://docs.github.com/webhooks/webhook-events-and-payloads#push). */
export async function pushPayload(context: PayloadContext, move: OwedDelivery): Promise<Record<string, unknown>> {
  const web = `${context.url}/${move.owner}/${move.name}`;
  const created = isZero(move.before);
  const deleted = isZero(move.after);
  const forced = !created && !deleted && !(await isAncestor(context, move.before, move.after));
  const newest = deleted ? [] : await readCommits(context.git, context.folder, newCommits(move, created));
  const head = deleted ? [] : await readCommits(context.git, context.folder, ['--max-count=1', move.after]);
  return {
    ref: move.ref,
    before: move.before,
    after: move.after,
    base_ref: null,
    created,
    deleted,
    forced,
    compare: `${web}/compare/${comparison(move, created, deleted)}`,
    commits: newest.reverse().map((commit) => shown(commit, web)),
    head_commit: head[0] ? shown(head[0], web) : null,
    repository: await repositoryOf(context, move, web),
    pusher: { name: move.pusher, email: head[0]?.committer.email ?? null },
    sender: { login: move.pusher, id: numberOf(move.pusher), type: 'User', html_url: `${context.url}/${move.pusher}` },
  };
}

/** Whether an id stands for "nothing". */
export function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

function newCommits({ ref, before, after }: OwedDelivery, created: boolean): string[] {
  // Of a new branch those commits count that no other ref has; of a moved one those that were not below it before.
  // Not `--all`: it counts HEAD as well, which may name this very branch.
  const known = created ? ['--not', `--exclude=${ref}`, '--glob=refs/*'] : [`^${before}`];
  return [`--max-count=${maxCommits}`, after, ...known];
}

async function isAncestor({ git, folder }: PayloadContext, before: string, after: string): Promise<boolean> {
  return (await git.ask(['-C', folder, 'merge-base', '--is-ancestor', before, after])) !== null;
}

function comparison({ ref, before, after }: OwedDelivery, created: boolean, deleted: boolean): string {
  if (created) return ref.replace(/^refs\/(?:heads|tags)\//, '');
  return `${before.slice(0, 12)}...${deleted ? '000000000000' : after.slice(0, 12)}`;
}

function shown(commit: LoggedCommit, web: string): Record<string, unknown> {
  const { id, tree, message, timestamp, author, committer, added, removed, modified } = commit;
  const url = `${web}/commit/${id}`;
  return { id, tree_id: tree, distinct: true, message, timestamp, url, author, committer, added, removed, modified };
}

async function repositoryOf(
  context: PayloadContext,
  move: OwedDelivery,
  web: string,
): Promise<Record<string, unknown>> {
  const { owner, name } = move;
  const head = await context.git.ask(['-C', context.folder, 'symbolic-ref', '--short', 'HEAD']);
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
    default_branch: head?.trim() ?? 'master',
  };
}

/** A stable number for a name, where GitHub has its database's. */
function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0);
}
