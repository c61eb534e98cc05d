import type { Entry } from '../../../functions/core/entry/entry.ts';
import { trackOf } from '../../../functions/core/entry/track.ts';
import type { Transition } from '../../../functions/core/entry/transition.ts';
import { withResult } from '../../../functions/core/hold/checks.ts';
import type { RepositoryRef } from '../../../functions/core/payload/delivery.ts';
import type { BranchFacts, CommitState, ExpectedCi } from '../../../functions/core/ports/deploy-facts.ts';
import type { AppendRequest } from '../../../functions/core/ports/deploy-log.ts';

/** A commit on a track of a user's repository. */
export interface TrackCommit extends Pick<Entry, 'user' | 'sha'> {
  readonly repository: RepositoryRef | null;
  readonly track: string | null;
}

/** The commits and branches of the fake log. */
export class Known {
  readonly #commits = new Map<string, CommitState>();
  readonly #branches = new Map<string, BranchFacts>();

  commitState(commit: TrackCommit): CommitState {
    const none = { checks: [], version: 0, held: null, deploying: null, awaitsPush: false };
    return this.#commits.get(commitKey(commit)) ?? none;
  }

  branch(user: string, repository: RepositoryRef, track: string): BranchFacts {
    const none = { newest: 0, tip: null, activeDeploy: null, app: null, ci: {} };
    return this.#branches.get(branchKey(user, repository, track)) ?? none;
  }

  /** Returns the commits of a track that have a state and start with these digits. */
  commits(user: string, repository: RepositoryRef, track: string, digits: string): readonly string[] {
    const shas = [...this.#commits.keys()].flatMap((key) => /#([0-9a-f]+)#/.exec(key)?.[1] ?? []);
    return Array.from(new Set(shas)).filter(
      (sha) => sha.startsWith(digits) && this.#commits.has(commitKey({ user, repository, sha, track })),
    );
  }

  /** Applies what a new entry says. */
  append(entry: Entry, { isNewestPush, isTip, checkResult, expectedCi }: AppendRequest): void {
    if (isNewestPush) this.#patchBranch(entry, { newest: entry.number });
    if (isTip) this.#patchBranch(entry, { tip: entry.sha });
    if (expectedCi) this.#expect(entry, expectedCi);
    if (!checkResult) return;
    const { checks, version } = this.commitState(tracked(entry));
    this.#patchCommit(entry, { checks: withResult(checks, checkResult), version: version + 1 });
  }

  /** Applies what a transition changes. */
  move(entry: Entry, transition: Transition): void {
    if (transition.promotes && entry.sha) {
      this.#patchBranch(entry, { activeDeploy: { number: entry.number, sha: entry.sha }, app: entry.appName });
    }
    if (transition.commitState) this.#patchCommit(entry, transition.commitState);
  }

  #expect({ user, repository }: Entry, { track, provider, until }: ExpectedCi): void {
    if (!repository) return;
    const { [provider]: _, ...others } = this.branch(user, repository, track).ci;
    const ci = { ...others, ...(until !== null && { [provider]: until }) };
    this.#branches.set(branchKey(user, repository, track), { ...this.branch(user, repository, track), ci });
  }

  #patchBranch(entry: Entry, patch: Partial<BranchFacts>): void {
    const { user, repository, track } = tracked(entry);
    if (!repository || track === null) return;
    this.#branches.set(branchKey(user, repository, track), { ...this.branch(user, repository, track), ...patch });
  }

  #patchCommit(entry: Entry, patch: Partial<CommitState>): void {
    if (!entry.repository || !entry.sha || !entry.branch) return;
    const commit = tracked(entry);
    this.#commits.set(commitKey(commit), { ...this.commitState(commit), ...patch });
  }
}

/** Returns the commit of an entry on its track. */
export function tracked({ user, repository, sha, branch, path }: Entry): TrackCommit {
  return { user, repository, sha, track: branch === null ? null : trackOf({ branch, path }) };
}

function commitKey({ user, repository, sha, track }: TrackCommit): string {
  return `${user} ${repositoryKey(repository)}#${sha}#${track}`;
}

function branchKey(user: string, repository: RepositoryRef, track: string): string {
  return `${user} ${repositoryKey(repository)}#${track}`;
}

function repositoryKey(repository: RepositoryRef | null): string {
  return repository ? `${repository.host}/${repository.owner}/${repository.name}`.toLowerCase() : '';
}
