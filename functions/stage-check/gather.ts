import { once } from '../core/concurrency.ts';
import { isFinal } from '../core/entry/entry.ts';
import { ignoresCi } from '../core/entry/kinds.ts';
import { namedManifest } from '../core/entry/manifest.ts';
import { appName } from '../core/entry/package-name.ts';
import { checksTrackOf, sourceOf, trackOf } from '../core/entry/track.ts';
import { type CiVerdict, ciVerdictOf } from '../core/hold/checks.ts';
import { type Source, waitOf } from '../core/hold/wait.ts';
import type { CommitRef } from '../core/payload/delivery.ts';
import type { CommitState } from '../core/ports/facts.ts';
import { type CommitEntry, type Facts, type NamedApp, otherEntry } from './facts.ts';
import { manifestOf, manifestSummary } from './manifest-file.ts';
import { ownershipOf } from './owner.ts';
import type { CheckPorts } from './ports.ts';
import { comparison, tipOf } from './tip.ts';

/** Returns the facts about an entry whose commit has its whole id. */
export async function factsOf(entry: CommitEntry, ports: CheckPorts): Promise<Facts> {
  const { user, repository, sha } = entry;
  const state = await stateOf(entry, { ...repository, sha }, ports);
  const verdict: CiVerdict = ignoresCi(entry) ? { says: 'nothing' } : ciVerdictOf(state.checks);
  const track = once(() => ports.facts.branch(user, repository, trackOf(entry)));
  const tip = once(() => tipOf({ entry, state, verdict, track }, ports));
  const source = once(() => sourceOfEntry(entry, ports));
  const facts: Facts = {
    entry,
    state,
    verdict,
    track,
    tip,
    ancestry: once(async () => {
      const { sha: head } = await tip();
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

/** Returns the state of the commit. That of a preview which waits for CI has the results of whatever built the commit. */
async function stateOf(entry: CommitEntry, commit: CommitRef, { facts }: CheckPorts): Promise<CommitState> {
  const ofTrack = await facts.commitState(entry.user, commit, trackOf(entry));
  if (entry.kind !== 'preview' || ignoresCi(entry)) return ofTrack;
  const { checks, version } = await facts.commitState(entry.user, commit, checksTrackOf(entry));
  return { ...ofTrack, checks, version };
}

async function sourceOfEntry(entry: CommitEntry, { host, token }: CheckPorts): Promise<Source> {
  const commit = sourceOf(entry);
  return { commit, host: host(commit.host), token: await token(entry.user, commit.host) };
}

async function namedApp(unnamed: CommitEntry, source: Source): Promise<NamedApp> {
  const { entry, manifest } = namedManifest(unnamed, await manifestOf(unnamed, source));
  const { pullRequest } = entry;
  const changes = {
    appName: manifest.name,
    ...(pullRequest && { pullRequest }),
    snapshot: `${manifest.version}-${entry.number}`,
    manifest: manifestSummary(manifest.manifest),
  };
  return { entry, manifest, app: appName(manifest.name), changes };
}
