import type { MovedRef } from '../../functions/core/payload/moved-ref.ts';
import type { Accepted, DeployedBy, Receiver } from '../../lib/repohost/push/receiver.ts';

/** A service that records pushes in memory. */
export interface FakeReceiver extends Receiver {
  /** What it has recorded. */
  readonly pushes: readonly MovedRef[];
  /** Is called before each record; throws to refuse it. */
  before: () => void | Promise<void>;
  /** What it says of each push from now on. */
  answer: Partial<Accepted>;
  /** What it says that a repository deploys. */
  deploys: Partial<DeployedBy>;
  follow: Receiver['follow'];
}

/** Returns the service. It knows the tips of default branches as the log does, and follows nothing. */
export function fakeReceiver(): FakeReceiver {
  const pushes: MovedRef[] = [];
  const tips = new Map<string, string>();
  const tipKey = ({ owner, name, defaultBranch }: Pick<MovedRef, 'owner' | 'name' | 'defaultBranch'>) =>
    `${owner}/${name} ${defaultBranch}`;
  const receiver: FakeReceiver = {
    pushes,
    before: () => {},
    answer: {},
    deploys: {},
    accept: async (moved) => {
      await receiver.before();
      const isDefault = moved.ref === `refs/heads/${moved.defaultBranch}` && moved.after !== null;
      const isKnown = isDefault && tips.get(tipKey(moved)) === moved.after;
      if (!isKnown) pushes.push(moved);
      if (isDefault) tips.set(tipKey(moved), moved.after ?? '');
      const entry = `http://127.0.0.1/1/status/${moved.owner}/changes/${pushes.length}`;
      const page = `http://127.0.0.1/#/${moved.owner}/deploys/${pushes.length}`;
      return { status: 'queued', reason: null, entry, page, isFollowed: true, ...receiver.answer };
    },
    missedAfter: async (tip) => {
      const before = tips.get(tipKey(tip)) ?? null;
      const isTold = pushes.some((one) => one.owner === tip.owner && one.name === tip.name && one.after === tip.sha);
      return before === tip.sha || (before === null && isTold) ? null : { before };
    },
    deployedBy: async ({ name: app }, branch) => ({ app, environment: branch, ...receiver.deploys }),
    follow: async () => {},
  };
  return receiver;
}
