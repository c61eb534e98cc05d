import { usedSettings } from '../core/apps/settings.ts';
import { isFinal } from '../core/entry/entry.ts';
import { appName } from '../core/entry/package-name.ts';
import { MANUAL, RECONCILED } from '../core/entry/providers.ts';
import { trackOf } from '../core/entry/track.ts';
import type { EntryChanges, Transition } from '../core/entry/transition.ts';
import { DeployError } from '../core/errors.ts';
import { failureInWords } from '../core/hold/checks.ts';
import { askedNot } from '../core/payload/branch.ts';
import { overruledReason, overrulerOf } from '../core/pipeline/overruled.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import { calledMeanwhile, deployedBeforePush, deployedByBuild } from './deployed.ts';
import { type CommitEntry, ended, type Facts, type Rule } from './facts.ts';
import { ciPending, forkNeedsRelease } from './holds.ts';
import { ownedByAnother } from './owner.ts';
import type { CheckPorts } from './ports.ts';
import { earlierHolds, previewRefused } from './preview.ts';
import { renamedPackage } from './renamed-package.ts';
import { notOnBranch, superseded } from './tip.ts';

/** The rules in their order: the first one that decides ends the stage. The last one always does. */
export const RULES: readonly NamedRule[] = [
  rule(ciFailed),
  rule(deployedByBuild, 'build'),
  rule(deployedBeforePush, 'push', 'preview'),
  rule(calledMeanwhile, 'push', 'preview'),
  rule(skipsDeploy),
  rule(notOnBranch),
  rule(superseded),
  rule(unreadable),
  rule(overruled),
  rule(previewRefused, 'preview'),
  rule(renamedPackage, 'push', 'build'),
  rule(ownedByAnother),
  rule(earlierHolds, 'preview'),
  rule(forkNeedsRelease, 'preview'),
  rule(ciPending),
  rule(promoted),
];

interface NamedRule {
  readonly name: string;
  readonly decide: Rule;
}

/** Returns a rule that only entries of these kinds meet; without kinds all do. */
function rule<K extends CommitEntry['kind']>(
  decide: Rule<Extract<CommitEntry, { readonly kind: K }>>,
  ...kinds: readonly K[]
): NamedRule {
  const meets = ({ kind }: CommitEntry) => kinds.length === 0 || kinds.some((one) => one === kind);
  return { name: decide.name, decide: (facts, ports) => (meets(facts.entry) ? (decide as Rule)(facts, ports) : null) };
}

function ciFailed({ entry, state, verdict }: Facts): StageOutcome | null {
  if (verdict.says !== 'failed') return null;
  // A build that passes in this moment finds no entry to deploy after all: it refuses the end.
  const mayPass = { commitState: { held: entry.number }, ifCommitVersion: state.version };
  return ended('skipped', failureInWords(verdict.check), entry.kind === 'preview' ? mayPass : undefined);
}

/** A push of the commit asked that it is not deployed. A build may not say so, and a person may deploy it. */
function skipsDeploy({ entry, state }: Facts): StageOutcome | null {
  return state.skip === null || entry.provider === MANUAL ? null : ended('skipped', askedNot(state.skip));
}

/** The package.json, or the CI configuration, cannot be read. */
async function unreadable({ entry, named, wait }: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const [app, ci] = await Promise.all([orRefusal(named()), orRefusal(wait())]);
  if (app instanceof DeployError) {
    return { kind: 'failed', error: app, transition: { changes: await knownApp(entry, ports) } };
  }
  if (!(ci instanceof DeployError)) return null;
  return { kind: 'failed', error: ci, transition: { changes: { appName: app.manifest.name } } };
}

/** An operation on the application was accepted since, or removes it: what comes after a removal begins anew. */
async function overruled({ entry, named }: Facts, ports: CheckPorts): Promise<StageOutcome | null> {
  const { app, manifest, changes } = await named();
  const overruler = await overrulerOf({ user: entry.user, app }, 0, ports);
  if (overruler && overruler.number > entry.number) {
    return ended('superseded', overruledReason({ ...entry, appName: manifest.name }, overruler), { changes });
  }
  return overruler?.operation === 'remove' && !isFinal(overruler.status) ? { kind: 'again', afterSeconds: 1 } : null;
}

async function promoted(facts: Facts, ports: CheckPorts): Promise<StageOutcome> {
  const { entry, state, verdict } = facts;
  const { manifest, changes } = await facts.named();
  const [{ notes }, { note }, before] = await Promise.all([facts.ownership(), facts.wait(), facts.unfinished()]);
  const { otherName } = await facts.track();
  const used = await orRefusal(settingsOf(facts, ports));
  if (used instanceof DeployError) return { kind: 'failed', error: used, transition: { changes } };
  const detail = [`${manifest.name} ${manifest.version}`, ...notes, note, ...used.notes];
  const awaitsPush = entry.kind === 'build' || entry.provider === RECONCILED;
  const transition: Transition = {
    changes: { ...changes, ci: entry.ci, settings: used.settings, ...(before && { follows: before.number }) },
    promotes: true,
    ...(otherName && { otherName }),
    commitState: { deploying: entry.number, awaitsPush },
    // Where CI decides, a result that arrives in the meantime may forbid the deploy.
    ...(verdict.says === 'passed' && { ifCommitVersion: state.version }),
  };
  return { kind: 'done', detail: detail.filter((part) => part !== null).join('; '), transition };
}

/** A preview has the settings of the application that it previews. */
async function settingsOf(facts: Facts, { settings, platform }: CheckPorts) {
  const { entry, app, manifest } = await facts.named();
  const parent = entry.pullRequest?.parent;
  const byPerson = await settings.read({ user: entry.user, app: parent === undefined ? app : appName(parent) });
  return usedSettings(byPerson, manifest.manifest, platform);
}

/** Returns the error instead of throwing it, because the entry keeps what else is known. */
export async function orRefusal<T>(work: Promise<T>): Promise<T | DeployError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
}

/** A commit without a readable package.json belongs to the application that its branch deployed before. */
export async function knownApp(entry: CommitEntry, { facts }: Pick<CheckPorts, 'facts'>): Promise<EntryChanges> {
  const { app } = await facts.branch(entry.user, entry.repository, trackOf(entry));
  return app ? { appName: app } : {};
}
