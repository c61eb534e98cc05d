import { type Entry, isFinal, type Status } from '../core/entry/entry.ts';
import { checksTrackOf, type OnBranch, sourceOf, trackOf } from '../core/entry/folder.ts';
import { ignoresCi, type Operated, type Preview } from '../core/entry/kinds.ts';
import { type Manifest, namedManifest } from '../core/entry/manifest.ts';
import { appName } from '../core/entry/package-name.ts';
import type { EntryChanges, Transition } from '../core/entry/transition.ts';
import { type CiVerdict, ciVerdictOf } from '../core/hold/checks.ts';
import { type Source, type Wait, waitOf } from '../core/hold/wait.ts';
import type { CommitRef } from '../core/payload/delivery.ts';
import type { StageOutcome } from '../core/pipeline/stage-work.ts';
import type { BranchFacts, CommitState } from '../core/ports/facts.ts';
import type { Comparison } from '../core/ports/repository-host.ts';
import { manifestOf, manifestSummary } from './manifest-file.ts';
import { type Ownership, ownershipOf } from './owner.ts';
import type { CheckPorts } from './ports.ts';
import { comparison, tipOf } from './tip.ts';

/** Decides on an entry, or leaves the decision to the next rule: null. */
export type Rule<E extends CommitEntry = CommitEntry> = (
  facts: Facts<E>,
  ports: CheckPorts,
) => Promise<StageOutcome | null> | StageOutcome | null;

/** An entry of a commit on a branch. */
export type CommitEntry = Exclude<Entry, Operated> & OnBranch;

export type PreviewEntry = Extract<CommitEntry, Preview>;

/** The application that a commit is deployed as. */
interface NamedApp {
  /** The entry; that of a preview names its parent. */
  readonly entry: Entry;
  readonly manifest: Manifest;
  /** The platform's name of it. */
  readonly app: string;
  /** What the entry keeps of it. */
  readonly changes: EntryChanges;
}

/**
 * What is known of an entry while it is decided on. A fact that costs a request or a read is a function: the first rule
 * that needs it has it fetched, once.
 */
export interface Facts<E extends CommitEntry = CommitEntry> {
  readonly entry: E;
  readonly state: CommitState;
  /** The combined CI result; `nothing` when the push or its hook ignores CI. */
  readonly verdict: CiVerdict;
  readonly track: () => Promise<BranchFacts>;
  /** The commit that the branch, or the head of the pull request, is at now; null when it was deleted or closed. */
  readonly tip: () => Promise<string | null>;
  /** The position of that relative to the entry's commit; null when there is none, or it is not known. */
  readonly ancestry: () => Promise<Comparison | null>;
  /** Throws `deploy:repohost:no_pkg_json` when its package.json is not readable. */
  readonly named: () => Promise<NamedApp>;
  /** Throws as `waitOf` does. */
  readonly wait: () => Promise<Wait>;
  /** Whether it may deploy the application, which it claims with that. */
  readonly ownership: () => Promise<Ownership>;
  /** The deploy of the branch that is unfinished, if there is one. */
  readonly unfinished: () => Promise<Entry | null>;
}

/** Returns the facts about an entry whose commit has its whole id. */
export async function factsOf(entry: CommitEntry, ports: CheckPorts): Promise<Facts> {
  const { user, repository, sha } = entry;
  const state = await stateOf(entry, { ...repository, sha }, ports);
  const verdict: CiVerdict = ignoresCi(entry) ? { says: 'nothing' } : ciVerdictOf(state.checks);
  const track = once(() => ports.facts.branch(user, repository, trackOf(entry)));
  const tip = once(() => tipOf({ entry, state, verdict, track }, ports));
  const source = once(() => sourceOfEntry(entry, ports));
  const facts: Facts = {
    ...{ entry, state, verdict, track },
    tip,
    ancestry: once(async () => {
      const head = await tip();
      return head === null ? null : comparison(entry, { base: entry.sha, head }, ports);
    }),
    named: once(async () => namedApp(entry, await source())),
    wait: once(async () => waitOf(entry, verdict, await source(), ports)),
    ownership: once(() => ownershipOf(facts, ports)),
    unfinished: once(async () => {
      const other = await otherEntry(entry, (await track()).activeDeploy?.number ?? null, ports);
      return other && !isFinal(other.status) ? other : null;
    }),
  };
  return facts;
}

/** Returns the outcome of an entry that ends for a reason that is not a failure. */
export function ended(status: Status, reason: string, transition?: Transition): StageOutcome {
  return { kind: 'ended', status, reason, ...(transition && { transition }) };
}

/** Reads an entry; null for none, and for the given one itself. */
export async function otherEntry(
  { user, number }: Entry,
  other: number | null,
  { log }: Pick<CheckPorts, 'log'>,
): Promise<Entry | null> {
  return other === null || other === number ? null : log.read(user, other);
}

/** Returns the function with its first result, or failure, for all calls. */
function once<T>(get: () => Promise<T>): () => Promise<T> {
  let got: Promise<T> | undefined;
  return () => {
    got ??= get();
    return got;
  };
}

/** Returns the state of the commit. That of a preview which waits for CI has the results of whatever built the commit. */
async function stateOf(entry: CommitEntry, commit: CommitRef, { facts }: CheckPorts): Promise<CommitState> {
  const own = await facts.commitState(entry.user, commit, trackOf(entry));
  if (entry.kind !== 'preview' || ignoresCi(entry)) return own;
  const { checks, version } = await facts.commitState(entry.user, commit, checksTrackOf(entry));
  return { ...own, checks, version };
}

async function sourceOfEntry(entry: CommitEntry, { host, token }: CheckPorts): Promise<Source> {
  const commit = sourceOf(entry);
  return { commit, host: host(commit.host), token: await token(entry.user, commit.host) };
}

async function namedApp(found: CommitEntry, source: Source): Promise<NamedApp> {
  const { entry, manifest } = namedManifest(found, await manifestOf(found, source));
  const { pullRequest } = entry;
  const changes = {
    appName: manifest.name,
    ...(pullRequest && { pullRequest }),
    snapshot: `${manifest.version}-${entry.number}`,
    manifest: manifestSummary(manifest.manifest),
  };
  return { entry, manifest, app: appName(manifest.name), changes };
}
