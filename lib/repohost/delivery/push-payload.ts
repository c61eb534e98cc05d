import { createHash } from 'node:crypto';
import type { BareRepository } from '../git/git.ts';
import { readCommit } from '../git/revisions.ts';
import type { PendingDelivery } from './pending-deliveries.ts';

interface PayloadContext extends BareRepository {
  /** Address of the host. */
  readonly url: string;
  readonly private: boolean;
  readonly defaultBranch: string;
}

/**
 * Returns GitHub's payload of a push (https://docs.github.com/webhooks/webhook-events-and-payloads#push), without the list
 * of its commits: what is deployed is `after`.
 */
export async function pushPayload(context: PayloadContext, move: PendingDelivery): Promise<Record<string, unknown>> {
  const { ref, before, after, pusher } = move;
  const [created, deleted] = [isZero(before), isZero(after)];
  const [isForced, head] = await Promise.all([
    !created && !deleted && isAncestor(context, before, after).then((is) => !is),
    deleted ? undefined : readCommit(context, after),
  ]);
  return {
    ref,
    before,
    after,
    created,
    deleted,
    forced: isForced,
    head_commit: head ?? null,
    repository: repositoryOf(context, move),
    pusher: { name: pusher, email: head?.committer.email ?? null },
    sender: { login: pusher, id: numberOf(pusher), type: 'User' },
  };
}

/** Whether an id is all zeros: the ref did not exist before, or was deleted. */
export function isZero(id: string): boolean {
  return /^0+$/.test(id);
}

async function isAncestor({ git, folder }: PayloadContext, before: string, after: string): Promise<boolean> {
  return (await git.ask(['-C', folder, 'merge-base', '--is-ancestor', before, after])) !== null;
}

function repositoryOf(context: PayloadContext, { owner, name, at }: PendingDelivery): Record<string, unknown> {
  const web = `${context.url}/${owner}/${name}`;
  return {
    // Without an id: a repository here is its name, also when it was made anew.
    name,
    full_name: `${owner}/${name}`,
    private: context.private,
    owner: { name: owner, login: owner, id: numberOf(owner), type: 'User' },
    html_url: web,
    url: web,
    clone_url: `${web}.git`,
    pushed_at: Math.floor(at / 1000),
    default_branch: context.defaultBranch,
  };
}

/** Returns a stable number for a name, in place of the id in GitHub's database. */
function numberOf(name: string): number {
  return createHash('sha256').update(name).digest().readUInt32BE(0);
}
