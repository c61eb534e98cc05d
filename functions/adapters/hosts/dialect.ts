import type * as v from 'valibot';
import type { CommitRef, RepositoryRef } from '../../core/payload/delivery.ts';
import type { BranchTip, CommitStatus, Comparison, HostToken, Pairing } from '../../core/ports/repository-host.ts';
import type { FileAddresses } from './files.ts';
import type { PullRequestCalls, PullRequestListCalls } from './pull-request.ts';
import type { Api, RestOptions, RestRequest } from './rest.ts';

/** Where a branch is, and what is read of it: its name and its newest commit. */
export interface BranchCalls {
  readonly path: string;
  readonly schema: v.GenericSchema<unknown, BranchTip & { readonly name: string }>;
}

export interface Credentials {
  readonly login: string;
  readonly secret: string;
}

/** The differences between the APIs of the hosts: paths, headers and request bodies. */
export interface Dialect extends FileAddresses, Pick<RestOptions, 'headers' | 'login'> {
  /** Whether owners may contain slashes: subgroups. */
  readonly nestedOwners?: boolean;
  repositoryPath(repository: RepositoryRef): string;
  /** Returns the requests for the tarball. The next one is tried when one is refused with 401, 403 or 404. */
  tarballRequests(commit: CommitRef, token: HostToken): readonly [RestRequest, ...RestRequest[]];
  /** Sets a commit status, whose description is already truncated. */
  setStatus(api: Api, commit: CommitRef, status: CommitStatus): Promise<void>;
  compare(api: Api, base: CommitRef, head: string): Promise<Comparison>;
  /** Reads the whole id from the answer to `commitRequest`, at hosts that name commits by their first digits. */
  readonly commitSchema?: v.GenericSchema<unknown, string>;
  branch(repository: RepositoryRef, branch: string): BranchCalls;
  /** Returns where a pull request is, and what it says while it is open. */
  pullRequest(repository: RepositoryRef, number: number): PullRequestCalls;
  /** Returns where the open pull requests are, those that changed last first, and what is read of them. */
  pullRequests(repository: RepositoryRef): PullRequestListCalls;
  pair(api: Api, credentials: Credentials): Promise<Pairing>;
}

/** Returns whether the history of `commit` has any commit that the history of `other` does not have. */
type HasOwnCommits = (commit: string, other: string) => Promise<boolean>;

/**
 * Returns how `head` compares to `base`, for hosts that only list the commits of one history without those of another.
 */
export async function compareHistories(base: string, head: string, hasOwn: HasOwnCommits): Promise<Comparison> {
  const [ahead, behind] = await Promise.all([hasOwn(head, base), hasOwn(base, head)]);
  if (ahead) return behind ? 'diverged' : 'ahead';
  return behind ? 'behind' : 'identical';
}
