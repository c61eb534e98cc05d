import type { Entry } from '../../../functions/core/entry/entry.ts';
import type { Transition } from '../../../functions/core/entry/transition.ts';
import { withResult } from '../../../functions/core/hold/checks.ts';
import type { RepositoryRef } from '../../../functions/core/payload/delivery.ts';
import type { BranchFacts, CommitState, ExpectedCi } from '../../../functions/core/ports/deploy-facts.ts';
import type { AppendRequest } from '../../../functions/core/ports/deploy-log.ts';

/** A commit on a branch of a user's repository. */
export type BranchCommit = Pick<Entry, 'user' | 'sha' | 'branch'> & { readonly repository: RepositoryRef | null };

/** The commits and branches of the fake log. */
export class Known {
  readonly #commits = new Map<string, CommitState>();
  readonly #branches = new Map<string, BranchFacts>();

  commitState(commit: BranchCommit): CommitState {
    const none = { checks: [], version: 0, held: null, deploying: null, awaitsPush: false };
    return this.#commits.get(commitKey(commit)) ?? none;
  }

  branch(user: string, repository: RepositoryRef, branch: string): BranchFacts {
    const none = { newest: 0, activeDeploy: null, app: null, ci: {} };
    return this.#branches.get(branchKey(user, repository, branch)) ?? none;
  }

  /** Returns the commits on a branch that have a state and start with these digits. */
  commits(user: string, repository: RepositoryRef, branch: string, digits: string): readonly string[] {
    const shas = [...this.#commits.keys()].flatMap((key) => /#([0-9a-f]+)#/.exec(key)?.[1] ?? []);
    return Array.from(new Set(shas)).filter(
      (sha) => sha.startsWith(digits) && this.#commits.has(commitKey({ user, repository, sha, branch })),
    );
  }

  /** Applies what a new entry says. */
  append(entry: Entry, { isNewestPush, checkResult, expectedCi }: AppendRequest): void {
    if (isNewestPush) this.#patchBranch(entry, { newest: entry.number });
    if (expectedCi) this.#expect(entry, expectedCi);
    if (!checkResult) return;
    const { checks, version } = this.commitState(entry);
    this.#patchCommit(entry, { checks: withResult(checks, checkResult), version: version + 1 });
  }

  /** Applies what a transition changes. */
  move(entry: Entry, transition: Transition): void {
    if (transition.promotes && entry.sha) {
      this.#patchBranch(entry, { activeDeploy: { number: entry.number, sha: entry.sha }, app: entry.appName });
    }
    if (transition.commitState) this.#patchCommit(entry, transition.commitState);
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

  #patchCommit(entry: Entry, patch: Partial<CommitState>): void {
    if (!entry.repository || !entry.sha || !entry.branch) return;
    this.#commits.set(commitKey(entry), { ...this.commitState(entry), ...patch });
  }
}

function commitKey({ user, repository, sha, branch }: BranchCommit): string {
  return `${user} ${repositoryKey(repository)}#${sha}#${branch}`;
}

function branchKey(user: string, repository: RepositoryRef, branch: string): string {
  return `${user} ${repositoryKey(repository)}#${branch}`;
}

function repositoryKey(repository: RepositoryRef | null): string {
  return repository ? `${repository.host}/${repository.owner}/${repository.name}`.toLowerCase() : '';
}
