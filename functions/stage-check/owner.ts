import { type AppOwner, inWords, isSameOwner, ownerKey, ownerOf, parentOf } from '../core/entry/app-owner.ts';
import type { Entry } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { GIT, MANUAL } from '../core/entry/providers.ts';
import { DeployError, unlessRefused } from '../core/errors.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { BranchFacts } from '../core/ports/facts.ts';
import { isStrange } from '../core/preview/preview.ts';
import type { CommitEntry, Facts, Ownership } from './facts.ts';
import type { CheckPorts } from './ports.ts';

/** Refuses an entry whose application belongs to another repository, or follows another branch. */
export async function ownedByAnother({ named, ownership }: Facts): Promise<StageOutcome | null> {
  const { refused, isForeign } = await ownership();
  if (!refused) return null;
  // It is no failure of the application, of which the other repository knows nothing.
  const transition = isForeign ? undefined : { changes: { appName: (await named()).manifest.name } };
  return { kind: 'failed', error: refused, ...(transition && { transition }) };
}

/**
 * Returns whether an entry may deploy its application, which belongs to the repository that deployed it first, and
 * follows one branch of it. Two repositories made from one template have the same package name, and neither may replace
 * the application of the other; nor may a second webhook of the repository, with another branch. An entry that is held
 * claims nothing, because it may never be deployed.
 */
export async function ownershipOf(facts: Facts, ports: CheckPorts): Promise<Ownership> {
  const [{ entry, app }, { for: waitsFor }] = await Promise.all([facts.named(), facts.wait()]);
  const entryOwner = ownerOf(entry);
  const ofParent = entryOwner && (await refusedByParent(entry, entryOwner, ports));
  if (!entryOwner || ofParent) return { refused: ofParent, isForeign: true, notes: [] };
  const claims = waitsFor === null && !isStrange(entry);
  const claim = { ...entryOwner, ...pushedBranch(entry) };
  const owner = claims ? await ports.facts.ownApp(entry.user, app, claim) : await ports.facts.appOwner(entry.user, app);
  if (owner !== null && !isSameOwner(owner, entryOwner)) {
    return { refused: refusal({ app, owner, own: entryOwner }, ports), isForeign: true, notes: [] };
  }
  const renamed =
    owner === null || ownerKey(owner) === ownerKey(entryOwner)
      ? []
      : [`${placeOf(owner)} is now ${placeOf(entryOwner)}`];
  const followed = entry.pullRequest || claim.branch === undefined ? undefined : owner?.branch;
  if (followed === undefined || followed === claim.branch) return { refused: null, notes: renamed };
  const moved = await ofOtherBranch(facts, { followed, claims }, ports);
  return { ...moved, notes: [...renamed, ...moved.notes] };
}

function placeOf({ owner, name }: AppOwner): string {
  return `${owner}/${name}`;
}

/** `claims`: whether the application follows the branch of the entry, in place of the `followed` one, if it may. */
async function ofOtherBranch(
  facts: Facts,
  { followed, claims }: { readonly followed: string; readonly claims: boolean },
  ports: CheckPorts,
): Promise<Ownership> {
  const { entry } = facts;
  const { app, manifest } = await facts.named();
  const note = await whyItMoves(entry, followed, ports);
  if (note !== null) {
    if (claims) await ports.facts.followBranch(entry.user, app, entry.branch);
    return { refused: null, notes: [note] };
  }
  const { activeDeploy, app: name } = await facts.track();
  // The first push that is refused since a version in which the branch deployed the application too.
  const until = name === manifest.name && activeDeploy?.sha === entry.before ? activeDeploy : null;
  return { refused: otherBranch(entry, { app, followed, until }), notes: [] };
}

/**
 * Returns why an application follows the branch of an entry from now on, in place of the one before; null when it does
 * not. Throws what the repository host throws, if that can succeed later.
 */
async function whyItMoves(
  { user, repository, branch, provider }: CommitEntry,
  followed: string,
  { host, token }: CheckPorts,
): Promise<string | null> {
  const moves = `it follows ${branch} from now on`;
  // Of the repositories of the service a push deploys the default branch, and a webhook the one that its address names.
  if (provider === GIT) return `${moves}, the default branch, in place of ${followed}`;
  const access = await token(user, repository.host);
  const tip = await unlessRefused(host(repository.host).tip(repository, followed, access), undefined);
  return tip === null ? `${moves}: ${repository.owner}/${repository.name} has no branch ${followed} any more` : null;
}

/** A preview gets variables of its parent, so the parent must not be of another repository. */
async function refusedByParent(
  { user, pullRequest }: Entry,
  preview: AppOwner,
  ports: Pick<CheckPorts, 'facts' | 'ownHost'>,
): Promise<DeployError | null> {
  if (pullRequest?.parent === undefined) return null;
  const parent = appName(pullRequest.parent);
  const parentOwner = parentOf(preview);
  const owner = await ports.facts.appOwner(user, parent);
  if (owner === null || isSameOwner(owner, parentOwner)) return null;
  return refusal({ app: parent, owner, own: parentOwner }, ports);
}

/**
 * A manual deploy may be of any branch: only pushes, their builds and the connection of a repository determine the
 * application's branch. A preview is always looked after.
 */
function pushedBranch(entry: Entry): { readonly branch?: string } {
  const { branch, provider, pullRequest } = entry;
  const isClaim = provider !== MANUAL || pullRequest !== undefined || (entry.kind === 'push' && entry.connects);
  return branch !== null && isClaim ? { branch } : {};
}

interface Foreign {
  readonly app: string;
  readonly owner: AppOwner;
  /** The repository that would replace it. */
  readonly own: AppOwner;
}

function refusal({ app, owner, own }: Foreign, { ownHost }: Pick<CheckPorts, 'ownHost'>): DeployError {
  const other = { named: inWords(own, owner), owner: inWords(owner, own) };
  const folder = own.path === undefined ? '' : ` --path ${own.path}`;
  const isPushed = own.host === ownHost?.name && own.environment === undefined;
  const beside = isPushed
    ? `To deploy this beside it, run "hooks create ${app} --environment staging" in the folder, and push as that says; else give`
    : 'Give';
  const detail =
    `The application ${app} belongs to ${other.owner}, and this is ${other.named}. ${beside} the package another name` +
    (canHave(owner, own)
      ? `; or, to have it deploy ${app} from now on, with its variables, domains and data, run "hooks transfer ${app} ` +
        `${own.host}/${placeOf(own)}${folder}".`
      : '.');
  return new DeployError('deploy:platform:start_app', detail, { retry: false });
}

/** Whether an application can be given to another owner. Its environment is part of its name. */
function canHave(owner: AppOwner, own: AppOwner): boolean {
  return owner.environment === own.environment && !owner.pullRequest && !own.pullRequest;
}

interface OtherBranch {
  readonly app: string;
  readonly followed: string;
  /** The last deploy, when pushes of the entry's branch have deployed the application until now. */
  readonly until: BranchFacts['activeDeploy'];
}

function otherBranch({ branch }: CommitEntry, { app, followed, until }: OtherBranch): DeployError {
  const query = `?environment=${appName(branch) || 'staging'}`;
  const detail =
    `The application ${app} follows the branch ${followed}, and this is ${branch}: to deploy it beside, put an environment ` +
    `of its own into the address of this webhook (${query}); to have ${app} follow ${branch}, run "hooks set ${app} branch=${branch}".`;
  const before = until && ` Until now pushes of both deployed it, those of ${branch} last as #${until.number}.`;
  return new DeployError('deploy:platform:start_app', `${detail}${before ?? ''}`, { retry: false });
}
