import type { Entry } from '../core/entry/entry.ts';
import { checkInWords, type Verdict } from '../core/hold/checks.ts';
import type { CommitRef } from '../core/payload/delivery.ts';
import type { CiConfig } from '../core/ports/ci-config.ts';
import type { HostToken, RepositoryHost } from '../core/ports/repository-host.ts';
import type { CheckPorts } from './ports.ts';

/** A commit of an entry, with the way to its files. */
export interface Source {
  readonly commit: CommitRef;
  readonly host: RepositoryHost;
  readonly token: HostToken;
}

/** Who has to call before the commit is deployed; null when nobody has to, and `note` may say why not. */
export interface Wait {
  readonly for: string | null;
  readonly note: string | null;
}

const CI_CONFIG_BYTES = 128 * 1024;

/**
 * What a commit waits for. What a person has decided comes first, for this push or for the hook; then what CI has said
 * already; then the CI configuration in the commit's own tree; then who has been calling about this branch.
 */
export async function waitOf(entry: Entry, verdict: Verdict, source: Source, ports: CheckPorts): Promise<Wait> {
  const { ci } = entry;
  if (ci && !ci.waits) return { for: null, note: `${ci.because}: it did not wait for CI` };
  if (entry.fromBuild || verdict.says === 'passed') return { for: null, note: null };
  if (verdict.says === 'pending') return { for: checkInWords(verdict.check), note: null };
  if (ci) return { for: `CI (${ci.because})`, note: null };
  const configured = await configuredWait(source, ports.ciConfigs);
  if (configured.for) return configured;
  const expected = await expectedCi(entry, ports);
  return expected.length > 0 ? { for: `CI (${expected.join(', ')})`, note: null } : configured;
}

/** By the files of the CI providers that name their webhooks in the repository. */
async function configuredWait({ host, commit, token }: Source, configs: readonly CiConfig[]): Promise<Wait> {
  const texts = await Promise.all(configs.map(({ path }) => host.file(commit, path, token, CI_CONFIG_BYTES)));
  const notes: string[] = [];
  for (const [place, config] of configs.entries()) {
    const text = texts[place] ?? null;
    if (text === null) continue;
    const decision = config.decide(text);
    if (decision.hold) return { for: decision.waitsFor, note: null };
    if (decision.note) notes.push(decision.note);
  }
  return { for: null, note: notes.length > 0 ? notes.join('; ') : null };
}

/** By those that have called, except where only the repository's own file tells whether they will again. */
async function expectedCi({ user, repository, branch }: Entry, ports: CheckPorts): Promise<readonly string[]> {
  if (!repository || !branch) return [];
  const { ci } = await ports.facts.branch(user, repository, branch);
  const byFile = new Set(ports.ciConfigs.filter(({ elsewhere }) => !elsewhere).map(({ provider }) => provider));
  const now = ports.clock.now();
  return Object.entries(ci).flatMap(([provider, until]) => (until > now && !byFile.has(provider) ? [provider] : []));
}
