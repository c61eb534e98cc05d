import { type AppOwner, inWords, isSameOwner, ownerOf, parentOf } from '../core/entry/app-owner.ts';
import type { Entry } from '../core/entry/entry.ts';
import type { Operated } from '../core/entry/kinds.ts';
import { type OnBranch, trackOf } from '../core/entry/track.ts';
import { unlessRefused } from '../core/errors.ts';
import { endHeld } from '../core/hold/hold.ts';
import { queueStage } from '../core/pipeline/queue-stage.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import { MOST_PREVIEWS, previewName } from '../core/preview/preview.ts';
import { removalOf } from '../core/preview/removal.ts';
import { ended, type Facts, type PreviewEntry } from './facts.ts';
import type { CheckPorts } from './ports.ts';
import { whileFresh } from './tip.ts';

/** Entries of a preview that are looked through for holds, newest first. */
const MAX_ENTRIES = 50;

/** The call that closes a pull request. */
type Closing = Entry & Operated & OnBranch;

/**
 * Ends the previews of a pull request that was closed: what waits is ended, and what was deployed is removed by an entry
 * of its own, as a person's removal would. All that was accepted before has passed this stage, which keeps the order of
 * the repository's entries; what was accepted since decides itself.
 */
export async function closePullRequest(entry: Closing, ports: CheckPorts): Promise<StageOutcome> {
  const { number = 0 } = entry.pullRequest ?? {};
  const source = `pull request #${number}`;
  const { newest, isTipSure } = await ports.facts.branch(entry.user, entry.repository, trackOf(entry));
  const isLast = newest <= entry.number;
  if (!isLast && (await isOpen(entry, number, { ...ports, otherwise: true }))) {
    const again = whileFresh(entry, ports.clock.now());
    return again ?? ended('skipped', `The ${source} has changed since: #${newest}.`);
  }
  if (isLast && !isTipSure && (await isOpen(entry, number, { ...ports, otherwise: false }))) {
    return (
      whileFresh(entry, ports.clock.now()) ?? ended('skipped', `The ${source} was reopened before this call came.`)
    );
  }
  const entryOwner = ownerOf(entry);
  const all = entryOwner === null ? [] : await ports.tracked.previews(entry.user, parentOf(entryOwner));
  const previews = all.filter(({ owner }) => entryOwner !== null && isSameOwner(owner, entryOwner));
  const reason = `The pull request #${number} was closed.`;
  // Holds of every commit are ended, also those of an application that was never deployed.
  if (entryOwner) await endHeldOf(entry, entryOwner, reason, ports);
  const removals: string[] = [];
  for (const preview of previews) {
    const { provider, uuid } = entry;
    const once = ['closed', entry.number, preview.app].join('#');
    const why = { because: reason, closed: true, provider, uuid, at: ports.clock.now(), once };
    const request = removalOf({ preview, of: entry, ...why });
    const result = await ports.log.append(request);
    const removal = 'entry' in result ? result.entry : await ports.log.read(entry.user, result.duplicateOf);
    if (removal?.status === 'queued') await queueStage(removal, ports);
    if (removal) removals.push(`#${removal.number}`);
  }
  const done = removals.length === 0 ? 'it has no preview' : `its preview is removed by ${removals.join(' and ')}`;
  return ended('skipped', `The ${source} was closed; ${done}.`);
}

/** Whether the host says that a pull request is open; `otherwise` when it refuses to answer. */
async function isOpen(
  { user, repository }: Closing,
  number: number,
  { host, token, otherwise }: Pick<CheckPorts, 'host' | 'token'> & { readonly otherwise: boolean },
): Promise<boolean> {
  const access = await token(user, repository.host);
  const state = host(repository.host).pullRequestState(repository, number, access);
  return (await unlessRefused<{ readonly isOpen: boolean }>(state, { isOpen: otherwise })).isOpen;
}

/** Decides nothing: the earlier commits of the pull request are not held any more, so that nobody lets one go. */
export async function earlierHolds({ entry, named }: Facts<PreviewEntry>, ports: CheckPorts): Promise<null> {
  const reason = `A newer commit of the pull request #${entry.pullRequest.number} was accepted: #${entry.number}.`;
  await endHolds(entry, { name: (await named()).manifest.name, reason }, ports);
  return null;
}

async function endHeldOf(entry: Closing, of: AppOwner, reason: string, ports: CheckPorts): Promise<void> {
  const { user } = entry;
  for (const number of await ports.facts.heldOf(user, of)) {
    const held = await ports.log.read(user, number);
    if (held) await endHold(held, { by: entry, reason }, ports);
  }
  // What was held by version 1.1.0 is found by the name only.
  for (const { app } of await ports.facts.owned(user, parentOf(of))) {
    const known = await ports.appFacts.named(user, app);
    const name = known && previewName(known.name, of.pullRequest?.number ?? 0);
    if (name) await endHolds(entry, { name, reason }, ports);
  }
}

async function endHolds(
  entry: Entry,
  { name, reason }: { readonly name: string; readonly reason: string },
  ports: CheckPorts,
): Promise<void> {
  const { entries } = await ports.reader.page({ user: entry.user, app: name, skip: 0, limit: MAX_ENTRIES });
  for (const held of entries) await endHold(held, { by: entry, reason }, ports);
}

/** Ends what is held of the same preview since before an entry. */
async function endHold(
  held: Entry,
  { by, reason }: { readonly by: Entry; readonly reason: string },
  ports: CheckPorts,
): Promise<void> {
  const owner = held.status === 'held' && held.number < by.number ? ownerOf(held) : null;
  const ownerOfBy = ownerOf(by);
  if (owner && ownerOfBy && isSameOwner(owner, ownerOfBy)) await endHeld(held, 'superseded', reason, ports);
}

/**
 * The application has as many previews as it may have: they are counted by its repository and folder, because a commit
 * can name the package as it likes.
 */
export async function previewRefused(
  { entry, named }: Facts<PreviewEntry>,
  ports: CheckPorts,
): Promise<StageOutcome | null> {
  const { app, changes } = await named();
  const entryOwner = ownerOf(entry);
  if (!entryOwner) return null;
  const parent = parentOf(entryOwner);
  const previews = await ports.tracked.previews(entry.user, parent);
  const others = previews.filter((one) => one.app !== app);
  if (others.length < MOST_PREVIEWS) return null;
  const reason = `${inWords(parent, parent)} has ${MOST_PREVIEWS} previews, which is the most: remove one (hooks remove), close its pull request or delete its branch.`;
  return ended('skipped', reason, { changes });
}
