import { type AppOwner, inWords, isSameOwner, ownerOf, parentOf } from '../core/entry/app-owner.ts';
import { type Entry, MANUAL } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { DeployError } from '../core/errors.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { DeployFacts } from '../core/ports/facts.ts';
import type { Facts } from './facts.ts';
import { isStrange } from './holds.ts';
import type { CheckPorts } from './ports.ts';

/**
 * Refuses an entry whose application belongs to another repository. It belongs to the entry's own from its first deploy
 * on. Two repositories made from one template have the same package name, and neither may replace the application of the
 * other. An entry that is held claims nothing, because it may never be deployed.
 */
export async function ownedByAnother({ named, wait }: Facts, { facts }: CheckPorts): Promise<StageOutcome | null> {
  const [{ entry, app, manifest }, { for: waitsFor }] = await Promise.all([named(), wait()]);
  const claims = waitsFor === null && !isStrange(entry);
  const refused = await refusedByOwner(entry, { app, claims }, facts);
  return refused && { kind: 'failed', error: refused, transition: { changes: { appName: manifest.name } } };
}

/** An application by the platform's name of it, and whether the entry becomes its owner when it has none. */
interface WantedApp {
  readonly app: string;
  readonly claims: boolean;
}

async function refusedByOwner(
  entry: Entry,
  { app, claims }: WantedApp,
  facts: Pick<DeployFacts, 'appOwner' | 'ownApp'>,
): Promise<DeployError | null> {
  const own = ownerOf(entry);
  if (!own) return null;
  const ofParent = await refusedByParent(entry, own, facts);
  if (ofParent) return ofParent;
  const claim = { ...own, ...pushedBranch(entry) };
  const owner = claims ? await facts.ownApp(entry.user, app, claim) : await facts.appOwner(entry.user, app);
  return owner === null || isSameOwner(owner, own) ? null : refusal(app, owner, own);
}

/** A preview gets variables of its parent, so the parent must not be of another repository. */
async function refusedByParent(
  { user, pullRequest }: Entry,
  preview: AppOwner,
  facts: Pick<DeployFacts, 'appOwner'>,
): Promise<DeployError | null> {
  if (pullRequest?.parent === undefined) return null;
  const parent = appName(pullRequest.parent);
  const own = parentOf(preview);
  const owner = await facts.appOwner(user, parent);
  return owner === null || isSameOwner(owner, own) ? null : refusal(parent, owner, own);
}

/**
 * A manual deploy may be of any branch: only pushes and their builds determine the application's branch. A preview is
 * always looked after.
 */
function pushedBranch({ branch, provider, pullRequest }: Entry): { readonly branch?: string } {
  return branch === null || (provider === MANUAL && !pullRequest) ? {} : { branch };
}

function refusal(app: string, owner: AppOwner, own: AppOwner): DeployError {
  const other = { named: inWords(own, owner), owner: inWords(owner, own) };
  const detail =
    `The application ${app} belongs to ${other.owner}, and this is ${other.named}. Give the package another name; or, ` +
    `when the repository was renamed or moved, remove the application (hooks remove ${app}), which frees its name.`;
  return new DeployError('deploy:platform:start_app', detail, { retry: false });
}
