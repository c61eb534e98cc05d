import { type Entry, isFinal, type PullRequestOf, RECONCILED } from '../entry/entry.ts';
import { trackOf } from '../entry/folder.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import type { TrackedApp } from '../ports/facts.ts';
import { DAY_MS } from '../preview/preview.ts';
import { removalOf } from '../preview/removal.ts';
import type { Compared, ComparePorts } from './compare.ts';
import type { Finder } from './missed-commit.ts';

/** The result for a preview: the entry of its removal, or why there is none. */
interface ComparedPreview extends Compared {
  readonly isOpen: boolean;
}

/**
 * Removes a preview whose pull request was closed without a call that said so, or that nobody has touched for long.
 * Throws as `RepositoryHost.isOpen` does.
 */
export async function comparePreview(
  preview: TrackedApp,
  { number }: Pick<PullRequestOf, 'number'>,
  { uuid, at }: Finder,
  ports: ComparePorts,
): Promise<ComparedPreview> {
  const { user, app, owner, branch } = preview;
  const isOpen = await ports.host(owner.host).isOpen(owner, number, await ports.token(user, owner.host));
  const { newest, activeDeploy } = await ports.facts.branch(user, owner, trackOf({ ...owner, branch }));
  const touched = await ports.log.read(user, Math.max(newest, activeDeploy?.number ?? 0));
  const isOld = touched !== null && at - touched.receivedAt > ports.previewDays * DAY_MS;
  const nothing = { tip: null, entry: null, isOpen };
  if (isOpen && !isOld) return { ...nothing, reason: `The pull request #${number} is open.` };
  const last = await ports.appFacts.overruledUntil(user, app);
  const overruler = last === 0 ? null : await ports.log.read(user, last);
  if (isBeingRemoved(touched, overruler, at)) return { ...nothing, reason: 'The preview is being removed.' };
  const because = isOpen
    ? `Nobody has pushed to the pull request #${number} for ${ports.previewDays} days.`
    : `The pull request #${number} was closed, and no webhook said so.`;
  const once = [RECONCILED, 'remove', app, last].join('#');
  const removal = { preview, of: touched, because, closed: !isOpen, provider: RECONCILED, uuid, at, once };
  const result = await ports.log.append(removalOf(removal));
  const entry = 'entry' in result ? result.entry : null;
  if (entry) await queueStage(entry, ports);
  return { tip: null, entry, reason: because, isOpen };
}

/** A removal that has failed is not repeated at once. */
const AGAIN_AFTER_MS = 30 * 60_000;

/** Whether a call has closed it, it is being removed, or was to be a short time ago and was not deployed since. */
function isBeingRemoved(newest: Entry | null, overruler: Entry | null, at: number): boolean {
  if (newest?.pullRequest?.closed && !isFinal(newest.status)) return true;
  if (overruler?.operation !== 'remove') return false;
  const isNewest = overruler.number > (newest?.number ?? 0);
  return !isFinal(overruler.status) || (isNewest && at - overruler.receivedAt < AGAIN_AFTER_MS);
}
