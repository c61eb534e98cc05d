import type { Entry } from '../entry/entry.ts';
import { trackOf } from '../entry/track.ts';
import type { CommitRef } from '../payload/delivery.ts';
import type { CommitFacts } from '../ports/facts.ts';
import type { HostToken, RepositoryHost } from '../ports/repository-host.ts';
import type { CiConfig } from '../ports/sender.ts';
import type { Clock } from '../ports/system.ts';
import { type CiVerdict, checkInWords } from './checks.ts';

/** A commit of an entry, with access to its files. */
export interface Source {
  readonly commit: CommitRef;
  readonly host: RepositoryHost;
  readonly token: HostToken;
}

interface WaitPorts {
  readonly facts: Pick<CommitFacts, 'branch'>;
  readonly clock: Clock;
  readonly ciConfigs: readonly CiConfig[];
}

/** The CI results that a commit waits for. */
export interface Wait {
  /** The CI provider or check that must report a pass, for a sentence; null when the commit does not wait. */
  readonly for: string | null;
  /** Why it does not wait, where that needs an explanation. */
  readonly note: string | null;
}

const CI_CONFIG_BYTES = 128 * 1024;

/**
 * Returns what a commit waits for. In this order: the choice of its push or hook, the results that CI has already
 * reported, the CI configuration in its tree, the providers that have reported on its branch before. Providers that the
 * commit's message skips do not count.
 */
export async function waitOf(entry: Entry, verdict: CiVerdict, source: Source, ports: WaitPorts): Promise<Wait> {
  const { ci } = entry;
  if (ci && !ci.waits) return { for: null, note: `${ci.because}: it did not wait for CI` };
  if (entry.kind === 'build' || verdict.says === 'passed') return { for: null, note: null };
  if (verdict.says === 'pending') return { for: checkInWords(verdict.check), note: null };
  const skipped = (entry.kind === 'push' && entry.skipsCi) || [];
  if (ci && skipped.length === 0) return { for: `CI (${ci.because})`, note: null };
  const counts = (provider: string) => !skipped.includes(provider);
  const configs = ports.ciConfigs.filter(({ provider }) => counts(provider));
  const configured = await configuredWait(source, ci ? [] : configs);
  if (configured.for) return configured;
  const expected = (await expectedProviders(entry, ports)).filter(counts);
  if (expected.length > 0) return { for: `CI (${ci?.because ?? expected.join(', ')})`, note: null };
  const skips = skipped.length > 0 ? `The commit's message skips ${skipped.join(' and ')}` : null;
  return { for: null, note: configured.note ?? skips };
}

/** Returns the wait that CI configuration files ask for with the webhooks that they declare. */
async function configuredWait({ host, commit, token }: Source, configs: readonly CiConfig[]): Promise<Wait> {
  const files = await Promise.all(configs.map(({ path }) => host.file(commit, path, token, CI_CONFIG_BYTES)));
  const notes: string[] = [];
  for (const [index, config] of configs.entries()) {
    const content = files[index] ?? null;
    if (content === null) continue;
    const decision = config.decide(content);
    if (decision.hold) return { for: decision.waitsFor, note: null };
    if (decision.note) notes.push(decision.note);
  }
  return { for: null, note: notes.length > 0 ? notes.join('; ') : null };
}

/**
 * Returns the providers that are expected to report on the branch, except those whose configuration file decides; all,
 * where every push waits for CI.
 */
async function expectedProviders(entry: Entry, ports: WaitPorts): Promise<readonly string[]> {
  const { user, repository, branch } = entry;
  if (!repository || !branch) return [];
  const { ci } = await ports.facts.branch(user, repository, trackOf({ ...entry, branch }));
  const byFile = new Set(entry.ci ? [] : ports.ciConfigs.map(({ provider }) => provider));
  const now = ports.clock.now();
  return Object.entries(ci).flatMap(([provider, until]) => (until > now && !byFile.has(provider) ? [provider] : []));
}
