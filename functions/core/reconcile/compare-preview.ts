import { isFinal, type PullRequestOf, RECONCILED } from '../entry/entry.ts';
import { trackOf } from '../entry/folder.ts';
import { queueStage } from '../pipeline/queue-stage.ts';
import type { TrackedApp } from '../ports/facts.ts';
import { DAY_MS } from '../preview/preview.ts';
import { removalOf } from '../preview/removal.ts';
import type { Compared, ComparePorts } from './compare.ts';
import type { Finder } from './missed-commit.ts';

/**
 * Removes a preview whose pull request was closed without a call that said so, or that nobody has touched for long.
 * Throws as `RepositoryHost.isOpen` does.
 */
export async function comparePreview(
  preview: TrackedApp,
  { number }: Pick<PullRequestOf, 'number'>,
  { uuid, at }: Finder,
  ports: ComparePorts,
): Promise<Compared> {
  const { user, owner, branch } = preview;
  const isOpen = await ports.host(owner.host).isOpen(owner, number, await ports.token(user, owner.host));
  const { newest, activeDeploy } = await ports.facts.branch(user, owner, trackOf({ ...owner, branch }));
  const touched = await ports.log.read(user, Math.max(newest, activeDeploy?.number ?? 0));
  const isOld = touched !== null && at - touched.receivedAt > ports.previewDays * DAY_MS;
  const nothing = { tip: null, entry: null };
  if (isOpen && !isOld) return { ...nothing, reason: `The pull request #${number} is open.` };
  if (await isBeingRemoved(preview, ports)) return { ...nothing, reason: 'The preview is being removed.' };
  const because = isOpen
    ? `Nobody has pushed to the pull request #${number} for ${ports.previewDays} days.`
    : `The pull request #${number} was closed, and no webhook said so.`;
  const removal = { preview, of: touched, because, provider: RECONCILED, uuid, at, once: null };
  const result = await ports.log.append(removalOf(removal));
  const entry = 'entry' in result ? result.entry : null;
  if (entry) await queueStage(entry, ports);
  return { tip: null, entry, reason: because };
}

async function isBeingRemoved({ user, app }: TrackedApp, { appFacts, log }: ComparePorts): Promise<boolean> {
  const number = await appFacts.overruledUntil(user, app);
  const last = number === 0 ? null : await log.read(user, number);
  return last?.operation === 'remove' && !isFinal(last.status);
}
