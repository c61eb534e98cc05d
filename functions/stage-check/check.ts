import { type Entry, isAlive, isFinal, MANUAL, type PullRequestOf, RECONCILED } from '../core/entry/entry.ts';
import { checksTrackOf, sourceOf, trackOf } from '../core/entry/folder.ts';
import type { Manifest } from '../core/entry/manifest.ts';
import { appName } from '../core/entry/package-name.ts';
import type { EntryChanges, Transition } from '../core/entry/transition.ts';
import { DeployError } from '../core/errors.ts';
import { type CiVerdict, ciVerdictOf, failureInWords } from '../core/hold/checks.ts';
import { type Source, waitOf } from '../core/hold/wait.ts';
import { isObject } from '../core/json.ts';
import type { CommitRef } from '../core/payload/delivery.ts';
import type { StageOutcome, StageWork } from '../core/pipeline/stage-work.ts';
import type { BranchFacts, CommitState } from '../core/ports/facts.ts';
import { DAY_MS, namedPreview } from '../core/preview/preview.ts';
import { manifestOf } from './manifest-file.ts';
import { refusedByOwner } from './owner.ts';
import { withoutOwnDeploy } from './passed-build.ts';
import type { CheckPorts } from './ports.ts';
import { closedSince, comparedWithHead, endHolds, endPreviews, forkInWords, withoutPreview } from './preview.ts';
import { supersededBy } from './superseded.ts';
import { withWholeCommit } from './whole-commit.ts';

/** Returns the work of the stage `check`: it decides whether the commit is deployed, and as which application. */
export function check(ports: CheckPorts): StageWork {
  return async (queued) => {
    const entry = await orRefusal(withWholeCommit(queued, ports));
    if (entry instanceof DeployError) {
      return { kind: 'failed', error: entry, transition: { changes: await knownApp(queued, ports) } };
    }
    const { branch, sha, repository, pullRequest } = entry;
    const commit = sourceOf(entry);
    if (!repository || !sha || !branch || !commit)
      throw new Error('Only an entry with a commit on a branch is queued.');
    const state = await stateOf({ ...entry, branch }, { ...repository, sha }, ports);
    if (pullRequest?.closed) return endPreviews(entry, pullRequest, state.held, ports);
    const verdict = verdictFor(entry, state);
    if (verdict.says === 'failed') {
      // A build that passes in this moment finds no entry to deploy after all: it refuses the end.
      const mayPass = pullRequest && { commitState: { held: entry.number }, ifCommitVersion: state.version };
      return skippedFor(failureInWords(verdict.check), mayPass);
    }
    const elsewhere = entry.fromBuild
      ? await withoutOwnDeploy(entry, verdict, state, ports)
      : await deployedElsewhere(entry, state, ports);
    if (elsewhere) return elsewhere;
    const standing = pullRequest ? await comparedWithHead(entry, pullRequest, ports) : 'unknown';
    if (standing !== 'head' && standing !== 'unknown') return standing;
    const facts = await ports.facts.branch(entry.user, repository, trackOf({ ...entry, branch }));
    // The newest commit of a pull request is its preview, whatever CI says of it.
    const ciDecides = entry.fromBuild || (verdict.says === 'passed' && !pullRequest);
    const newer = standing === 'head' ? null : await supersededBy(entry, { ...facts, ciDecides }, ports);
    if (newer) return { kind: 'ended', status: 'superseded', reason: newer };
    const closed = pullRequest && (await closedSince(entry, facts, ports));
    if (closed) return closed;
    const host = ports.host(repository.host);
    const source = { commit, host, token: await ports.token(entry.user, repository.host) };
    return decide(entry, { state, verdict, source, activeDeploy: facts.activeDeploy }, ports);
  };
}

/** Returns the state of the commit. That of a preview which waits for CI has the results of whatever built the commit. */
async function stateOf(
  entry: Entry & { readonly branch: string },
  commit: CommitRef,
  { facts }: CheckPorts,
): Promise<CommitState> {
  const own = await facts.commitState(entry.user, commit, trackOf(entry));
  if (!entry.pullRequest || (entry.ci && !entry.ci.waits)) return own;
  const { checks, version } = await facts.commitState(entry.user, commit, checksTrackOf(entry));
  return { ...own, checks, version };
}

/** Returns the combined CI result of the commit; `nothing` when the push or its hook ignores CI. */
function verdictFor(entry: Entry, state: CommitState): CiVerdict {
  return entry.ci && !entry.ci.waits ? { says: 'nothing' } : ciVerdictOf(state.checks);
}

/**
 * Ends a push whose commit came without it: deployed by the entry of a passed build, or found at the tip of its branch;
 * and a commit that was found although its push came. Manual requests are carried out nevertheless.
 */
async function deployedElsewhere(entry: Entry, state: CommitState, ports: CheckPorts): Promise<StageOutcome | null> {
  if (entry.provider === MANUAL) return null;
  const { awaitsPush, deploying, held } = state;
  if (entry.provider === RECONCILED) {
    const called = await otherEntry(entry, deploying ?? held, ports);
    // The head commit of a pull request that was reopened: what deployed it has ended, and was removed since.
    if (entry.forced && called && isFinal(called.status)) return null;
    return called && skippedFor(`The commit's webhook called while it was being found: #${called.number}.`);
  }
  const waiting = await otherEntry(entry, held, ports);
  if (waiting?.status === 'held' && waiting.provider === RECONCILED) {
    return skippedFor(`The commit was found before its webhook called, and waits for CI in #${waiting.number}.`);
  }
  const other = awaitsPush ? await otherEntry(entry, deploying, ports) : null;
  // If the branch has another active deploy by now, this is a later push that moves the branch back.
  if (!other || !isAlive(other.status) || !(await isActive(other, entry, ports))) return null;
  const first = other.fromBuild ? 'The passed build came first' : 'The commit was found before its webhook called';
  return skippedFor(`${first}; it is deployed by #${other.number}.`, { commitState: { awaitsPush: false } });
}

function skippedFor(reason: string, transition?: Transition): StageOutcome {
  return { kind: 'ended', status: 'skipped', reason, ...(transition && { transition }) };
}

async function otherEntry({ user, number }: Entry, other: number | null, { log }: CheckPorts): Promise<Entry | null> {
  return other === null || other === number ? null : log.read(user, other);
}

async function isActive(
  other: Entry,
  { user, repository, branch, path, pullRequest }: Entry,
  { facts }: CheckPorts,
): Promise<boolean> {
  if (!repository || !branch) return false;
  const { activeDeploy } = await facts.branch(user, repository, trackOf({ branch, path, pullRequest }));
  return activeDeploy?.number === other.number;
}

/** The facts about the commit at the time of the decision. */
interface Known {
  readonly state: CommitState;
  readonly verdict: CiVerdict;
  readonly source: Source;
  readonly activeDeploy: BranchFacts['activeDeploy'];
}

async function decide(found: Entry, known: Known, ports: CheckPorts): Promise<StageOutcome> {
  const { state, verdict, source } = known;
  const [named, wait, before] = await Promise.all([
    orRefusal(namedApp(found, source)),
    orRefusal(waitOf(found, verdict, source, ports)),
    otherEntry(found, known.activeDeploy?.number ?? null, ports),
  ]);
  if (named instanceof DeployError) {
    return { kind: 'failed', error: named, transition: { changes: await knownApp(found, ports) } };
  }
  const { entry, manifest: read } = named;
  const { pullRequest } = entry;
  if (wait instanceof DeployError) return failed(wait, read);
  const changes = {
    appName: read.name,
    ...(pullRequest && { pullRequest }),
    snapshot: `${read.version}-${entry.number}`,
    manifest: manifestSummary(read.manifest),
  };
  const isStrange = pullRequest?.fromFork === true && !pullRequest.released;
  const wanted = { app: appName(read.name), deploys: wait.for === null && !isStrange };
  const without = pullRequest && (await withoutPreview(entry, wanted.app, ports));
  if (without) return without.kind === 'ended' ? { ...without, transition: { changes } } : without;
  const refused = await refusedByOwner(entry, wanted, ports.facts);
  if (refused) return failed(refused, read);
  if (pullRequest) await endHolds(entry, { name: read.name, reason: newerOf(entry, pullRequest) }, ports);
  if (isStrange) return holdForPerson(entry, forkInWords(pullRequest), changes, ports);
  if (wait.for) return hold(entry, { waitsFor: wait.for, version: state.version, changes }, ports);
  const detail = [`${read.name} ${read.version}`, read.note, wait.note].filter((part) => part !== null).join('; ');
  const promotion: Transition = {
    changes: { ...changes, order: entry.seq, ...(before && !isFinal(before.status) && { follows: before.number }) },
    promotes: true,
    commitState: { deploying: entry.number, awaitsPush: entry.fromBuild || entry.provider === RECONCILED },
  };
  // Where CI decides, a result that arrives in the meantime may forbid the deploy.
  const guard = verdict.says === 'passed' ? { ifCommitVersion: state.version } : {};
  return { kind: 'done', detail, transition: { ...promotion, ...guard } };
}

/** The entry with what its package.json says; a preview has a name of its own. */
async function namedApp(entry: Entry, source: Source): Promise<{ readonly entry: Entry; readonly manifest: Manifest }> {
  const manifest = await manifestOf(entry, source);
  return entry.pullRequest ? namedPreview(entry, entry.pullRequest, manifest) : { entry, manifest };
}

function newerOf({ number }: Entry, { number: pullRequest }: PullRequestOf): string {
  return `A newer commit of the pull request #${pullRequest} was accepted: #${number}.`;
}

function failed(error: DeployError, { name }: Manifest): StageOutcome {
  return { kind: 'failed', error, transition: { changes: { appName: name } } };
}

/** Returns the error instead of throwing it, because the entry keeps what else is known. */
async function orRefusal<T>(work: Promise<T>): Promise<T | DeployError> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof DeployError) return error;
    throw error;
  }
}

/** A commit without a readable package.json belongs to the application that its branch deployed before. */
async function knownApp(entry: Entry, { facts }: CheckPorts): Promise<EntryChanges> {
  const { user, repository, branch } = entry;
  if (!repository || !branch) return {};
  const { app } = await facts.branch(user, repository, trackOf({ ...entry, branch }));
  return app ? { appName: app } : {};
}

/** A hold: what it waits for, and the version of the commit state that it is based on. */
interface Hold {
  readonly waitsFor: string;
  readonly version: number;
  readonly changes: EntryChanges;
}

function hold(entry: Entry, { waitsFor, version, changes }: Hold, ports: CheckPorts): StageOutcome {
  const expiresAt = ports.clock.now() + ports.holdMinutes * 60_000;
  return {
    kind: 'ended',
    status: 'held',
    reason: `Waiting for ${waitsFor} to call with a passed build of this commit.`,
    transition: {
      changes: { ...changes, expiresAt },
      commitState: { held: entry.number },
      ifCommitVersion: version,
      dueAt: expiresAt,
    },
  };
}

/** Held until somebody releases it: no result of CI does. */
function holdForPerson(entry: Entry, reason: string, changes: EntryChanges, ports: CheckPorts): StageOutcome {
  const expiresAt = ports.clock.now() + ports.previewDays * DAY_MS;
  return {
    kind: 'ended',
    status: 'held',
    reason,
    transition: { changes: { ...changes, expiresAt }, commitState: { held: entry.number }, dueAt: expiresAt },
  };
}

const FIELDS = ['name', 'version', 'description', 'private', 'type', 'main', 'engines'];
const SCRIPTS = ['prestart', 'start', 'build'];
const MAX_FIELD_CHARACTERS = 1000;

/**
 * Returns the part of a package manifest that the platform needs: how the application is named, built and started. The
 * tarball contains the whole file; the entry is written again with each of its changes and must stay small.
 */
function manifestSummary(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const scripts = isObject(manifest.scripts) ? pickShort(manifest.scripts, SCRIPTS) : {};
  return { ...pickShort(manifest, FIELDS), ...(Object.keys(scripts).length > 0 && { scripts }) };
}

function pickShort(object: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const fields = Object.entries(object).filter(([key]) => keys.includes(key));
  return Object.fromEntries(fields.filter(([, value]) => JSON.stringify(value).length <= MAX_FIELD_CHARACTERS));
}
