import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { forEachLimit, keyedMutex } from '../../../functions/core/concurrency.ts';
import { branchesIn, defaultBranch, settleDefaultBranch } from '../git/revisions.ts';
import type { OpenRepositories } from '../local-host.ts';
import { hasRecord, readRecord, takenInAt } from '../store/folders.ts';
import { isOwnHook } from './hook.ts';
import { mayPass, movedRef, outcomeOf, type PushContext, reasonOf } from './pushed.ts';

/** Repositories that are compared at the same time. */
const AT_ONCE = 4;

interface Missed extends PushContext, Pick<OpenRepositories, 'repositories'> {
  /** When the service began to record, in milliseconds since 1970. */
  readonly since: number;
  readonly log: (line: string) => void;
}

/** A repository as it was at the last comparison. */
interface Seen {
  readonly branch: string | null;
  /** Another one after each move of the branch. */
  readonly version: string;
  readonly isEmpty: boolean;
}

/**
 * Returns a function that compares the default branch of each repository which has moved since with what the service has
 * recorded, and has it record what it missed: pushes while it was off, and those that it could not record. In the first
 * round all are compared. A branch that has become the default branch is deployed with its next push, and so is a
 * repository that the service does not know although it is older than its log: that was lost.
 */
export function missedPushes(context: Missed): () => Promise<void> {
  const seen = new Map<string, Seen>();
  const failed = new Set<string>();
  const look = async (folder: string, now: Seen) => {
    const before = seen.get(folder);
    if (before?.version === now.version) return;
    // The first push to an empty repository may have changed its default branch.
    if (before === undefined || before.isEmpty || before.branch === now.branch) await compare(context, folder);
  };
  // A second round at the same time would try again what the first one is about to note as refused.
  const oneRound = keyedMutex();
  const round = async () => {
    await forEachLimit(context.repositories.folders(), AT_ONCE, async ({ folder }) => {
      let now: Seen | undefined;
      try {
        if (!hasRecord(folder) || !isServed(folder)) return;
        now = await versionOf(context, folder);
        await look(folder, now);
        seen.set(folder, now);
        failed.delete(folder);
      } catch (error) {
        // Said once; what may pass is tried again in the next round.
        if (!failed.has(folder)) context.log(`A push to ${folder} is not recorded: ${reasonOf(error)}.`);
        failed.add(folder);
        if (now && !mayPass(error)) seen.set(folder, now);
      }
    });
  };
  return () => oneRound('', round);
}

/** Whether pushes to a repository are reported by the hook of this host. */
function isServed(folder: string): boolean {
  const hook = join(folder, 'hooks', 'post-receive');
  return existsSync(hook) && isOwnHook(hook);
}

async function versionOf({ git }: Pick<Missed, 'git'>, folder: string): Promise<Seen> {
  const branch = await defaultBranch({ git, folder });
  const files = ['packed-refs', 'reftable/tables.list', `refs/heads/${branch}`];
  const versions = files.map((file) => {
    const stat = statSync(join(folder, file), { throwIfNoEntry: false });
    return stat ? `${stat.ino} ${stat.mtimeMs} ${stat.size}` : '';
  });
  return { branch, version: [branch, ...versions].join('|'), isEmpty: versions.every((version) => version === '') };
}

async function compare({ git, folders, receiver, since, oneAtATime, log }: Missed, folder: string): Promise<void> {
  const record = readRecord(folder);
  const { owner, name } = record;
  if (folders.ofRepository(record) !== folder) return;
  const bare = { git, folder };
  await oneAtATime(`${owner}/${name}`, async () => {
    // The host may have ended before it has made the branch of the first push the default branch.
    const branch = await settleDefaultBranch(bare, await branchesIn(bare));
    const head = await git.ask(['-C', folder, 'rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
    if (branch === null || head === null) return;
    const tip = { owner, name, defaultBranch: branch, sha: head.trim() };
    const missed = await receiver.missedAfter(tip);
    if (missed === null || (missed.before === null && takenInAt(folder) < since)) return;
    const ids = {
      ...record,
      defaultBranch: branch,
      ref: `refs/heads/${branch}`,
      before: missed.before,
      after: tip.sha,
    };
    const accepted = await receiver.accept(await movedRef(bare, { ...ids, pusher: null }));
    log(`${owner}/${name}, pushed earlier: deploy ${branch} (${tip.sha.slice(0, 7)}) ${outcomeOf(accepted)}`);
  });
}
