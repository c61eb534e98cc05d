import type { AppOwner } from '../entry/app-owner.ts';
import { type Entry, isFinal } from '../entry/entry.ts';
import { closesPullRequest } from '../entry/kinds.ts';
import { appName } from '../entry/package-name.ts';
import { trackOf } from '../entry/track.ts';
import { overrulerOf } from '../pipeline/overruled.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import type { BranchFacts, TrackedApp } from '../ports/facts.ts';
import type { OpenPullRequest } from '../ports/repository-host.ts';
import { type ComparePorts, latestOf } from '../reconcile/compare.ts';
import { isKnown } from '../reconcile/known-commit.ts';
import { appendMissed, type Finder } from '../reconcile/missed-commit.ts';
import { strayOf } from '../reconcile/stray.ts';

/** A list of a host may be older than the call that closed a pull request. */
const REOPENED_AFTER_MS = 60_000;

/** The result of comparing a pull request: the entry of a missed commit, if there is one. */
interface ComparedPull {
  readonly entry: Entry | null;
  /** Whether it is to be compared again although its head commit is the same. */
  readonly unsettled: boolean;
}

/**
 * Deploys the head commit of an open pull request if no webhook has brought it, as its call would have been; and
 * that of one that was reopened, without a call, after its preview had been removed. `preview` is the preview of it, or
 * another one of the same folder. A commit that the log knows is deployed again otherwise only when what is live is
 * another commit (`strayOf`).
 */
export async function comparePull(
  { number, sha, branch, title, author, fromFork, source }: OpenPullRequest & { readonly sha: string },
  preview: TrackedApp,
  finder: Finder,
  ports: Pick<ComparePorts, 'facts' | 'log' | 'reader' | 'appFacts' | 'queue' | 'trace'>,
): Promise<ComparedPull> {
  const { user } = preview;
  const owner: AppOwner = { ...preview.owner, pullRequest: { number } };
  const facts = await ports.facts.branch(user, owner, trackOf({ ...owner, branch }));
  const closing = await closingOf(user, facts, ports);
  const isBeingClosed = closing !== null && finder.at - closing.receivedAt < REOPENED_AFTER_MS;
  const newest = await ports.log.read(user, facts.newest);
  // While its entry is not decided, the host may be away until that ends.
  const noEntry = { entry: null, unsettled: isBeingClosed || (newest !== null && !isFinal(newest.status)) };
  if (isBeingClosed) return noEntry;
  const tracked = { user, owner, branch };
  // The head may have been told as that of a draft, which was not deployed: only a deploy counts.
  const isMissed = !closing && !(await isKnown(sha, tracked, { ...facts, tip: null }, ports));
  const stray =
    closing || isMissed
      ? null
      : await strayOf({ tracked, tip: sha, facts, isOnBranch: async () => false, at: finder.at }, ports);
  const again = closing ?? stray;
  if (!isMissed && !again) return noEntry;
  const ofPreview = () =>
    ports.facts.branch(user, preview.owner, trackOf({ ...preview.owner, branch: preview.branch }));
  const latest = newest ?? (await latestOf(user, await ofPreview(), ports));
  if (!latest) return noEntry;
  const pull = { number, fromFork: fromFork || undefined, source };
  const tip = { sha, message: title, author };
  const app = { user, owner, branch };
  const result = await ports.log.append(
    appendMissed({ app, tip, latest, facts, against: null, again: again?.number ?? null, pull }, finder),
  );
  if ('duplicateOf' in result) return noEntry;
  await queueStage(result.entry, ports);
  return { entry: result.entry, unsettled: true };
}

/**
 * Returns the entry that has closed a pull request and after which nothing was deployed: the removal of its preview, or
 * the closing itself when there was none. Null when there is no such one.
 */
async function closingOf(
  user: string,
  { newest, app }: BranchFacts,
  ports: Pick<ComparePorts, 'log' | 'appFacts'>,
): Promise<Entry | null> {
  const overruler = app === null ? null : await overrulerOf({ user, app: appName(app) }, newest, ports);
  const entry = overruler ?? (await ports.log.read(user, newest));
  return entry && closesPullRequest(entry) ? entry : null;
}
