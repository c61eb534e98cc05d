import type { Entry } from '../../../functions/core/entry/entry.ts';
import { withResult } from '../../../functions/core/hold/checks.ts';
import type { RepositoryRef } from '../../../functions/core/payload/delivery.ts';
import type { BranchFacts, ExpectedCi, Gate } from '../../../functions/core/ports/deploy-facts.ts';
import type { Appending, Step } from '../../../functions/core/ports/deploy-log.ts';

/** A commit on a branch of a user's repository. */
export type Stand = Pick<Entry, 'user' | 'sha' | 'branch'> & { readonly repository: RepositoryRef | null };

/** What the log in memory knows of commits and branches. */
export class Known {
  readonly #gates = new Map<string, Gate>();
  readonly #branches = new Map<string, BranchFacts>();

  gate(stand: Stand): Gate {
    const none = { checks: [], version: 0, held: null, deploying: null, awaitsPush: false };
    return this.#gates.get(gateKey(stand)) ?? none;
  }

  branch(user: string, repository: RepositoryRef, branch: string): BranchFacts {
    const none = { newest: 0, going: null, app: null, ci: {} };
    return this.#branches.get(branchKey(user, repository, branch)) ?? none;
  }

  /** The commits on a branch that have a gate and begin with these digits. */
  commits(user: string, repository: RepositoryRef, branch: string, digits: string): readonly string[] {
    const shas = [...this.#gates.keys()].flatMap((key) => /#([0-9a-f]+)#/.exec(key)?.[1] ?? []);
    return Array.from(new Set(shas)).filter(
      (sha) => sha.startsWith(digits) && this.#gates.has(gateKey({ user, repository, sha, branch })),
    );
  }

  /** What a new entry tells. */
  append(entry: Entry, { accepted, outcome, ci }: Appending): void {
    if (accepted) this.#patchBranch(entry, { newest: entry.number });
    if (ci) this.#expect(entry, ci);
    if (!outcome) return;
    const { checks, version } = this.gate(entry);
    this.#patchGate(entry, { checks: withResult(checks, outcome), version: version + 1 });
  }

  /** What a step of an entry changes. */
  move(entry: Entry, step: Step): void {
    if (step.goes && entry.sha) {
      this.#patchBranch(entry, { going: { number: entry.number, sha: entry.sha }, app: entry.appName });
    }
    if (step.gate) this.#patchGate(entry, step.gate);
  }

  #expect(entry: Entry, { branch, provider, until }: ExpectedCi): void {
    if (!entry.repository) return;
    const { [provider]: _, ...others } = this.branch(entry.user, entry.repository, branch).ci;
    this.#patchBranch({ ...entry, branch }, { ci: { ...others, ...(until !== null && { [provider]: until }) } });
  }

  #patchBranch({ user, repository, branch }: Entry, patch: Partial<BranchFacts>): void {
    if (!repository || !branch) return;
    this.#branches.set(branchKey(user, repository, branch), { ...this.branch(user, repository, branch), ...patch });
  }

  #patchGate(entry: Entry, patch: Partial<Gate>): void {
    if (!entry.repository || !entry.sha || !entry.branch) return;
    this.#gates.set(gateKey(entry), { ...this.gate(entry), ...patch });
  }
}

function gateKey({ user, repository, sha, branch }: Stand): string {
  return `${user} ${repositoryKey(repository)}#${sha}#${branch}`;
}

function branchKey(user: string, repository: RepositoryRef, branch: string): string {
  return `${user} ${repositoryKey(repository)}#${branch}`;
}

function repositoryKey(repository: RepositoryRef | null): string {
  return repository ? `${repository.host}/${repository.owner}/${repository.name}`.toLowerCase() : '';
}
