import type * as v from 'valibot';
import type { CommitRef, RepositoryRef } from '../../core/payload/delivery.ts';
import type {
  BranchTip,
  CommitStatus,
  Comparison,
  HostToken,
  Pairing,
  PreviewDeployment,
} from '../../core/ports/repository-host.ts';
import type { TipRequest } from './branch-tip.ts';
import type { CommentCalls } from './comments.ts';
import { type RequestContext, refusal } from './failures.ts';
import type { FileAddresses } from './files.ts';
import type { PullRequestCalls, PullRequestListCalls } from './pull-request.ts';
import type { Rest, RestOptions, RestRequest } from './rest.ts';

/** A commit status to set, with the description already truncated. */
export interface StatusRequest {
  readonly commit: CommitRef;
  readonly status: CommitStatus;
  readonly token: string;
}

interface DeploymentRequest {
  readonly repository: RepositoryRef;
  readonly deployment: PreviewDeployment;
  readonly token: string;
}

export interface CompareRequest {
  readonly base: CommitRef;
  readonly head: string;
  readonly token: HostToken;
}

/** The differences between the APIs of the hosts: paths, headers and request bodies. */
export interface Dialect extends FileAddresses, Pick<RestOptions, 'headers' | 'login'> {
  /** Whether owners may contain slashes: subgroups. */
  readonly nestedOwners?: boolean;
  /** Returns where a repository is described. */
  repositoryPath(repository: RepositoryRef): string;
  /** Returns the requests for the tarball. The next one is tried when one is refused with 401, 403 or 404. */
  tarballRequests(commit: CommitRef, token: HostToken): readonly [RestRequest, ...RestRequest[]];
  setStatus(rest: Rest, request: StatusRequest, requestContext: RequestContext): Promise<void>;
  /** Absent at hosts without deployments. */
  setDeployment?(rest: Rest, request: DeploymentRequest, requestContext: RequestContext): Promise<void>;
  /** Returns where the comments at a pull request are; absent at hosts that get none. */
  comments?(repository: RepositoryRef, pullRequest: number): CommentCalls;
  compare(rest: Rest, request: CompareRequest, requestContext: RequestContext): Promise<Comparison>;
  /** Reads the whole id from the answer to `commitRequest`, at hosts that name commits by their first digits. */
  readonly commitSchema?: v.GenericSchema<unknown, string>;
  tip(rest: Rest, request: TipRequest, requestContext: RequestContext): Promise<BranchTip | null>;
  /** Returns where a pull request is, and what it says while it is open. */
  pullRequest(repository: RepositoryRef, number: number): PullRequestCalls;
  /** Returns where the open pull requests are, those that changed last first, and what is read of them. */
  pullRequests(repository: RepositoryRef): PullRequestListCalls;
  pair(rest: Rest, credentials: { login: string; secret: string }, requestContext: RequestContext): Promise<Pairing>;
}

/** Sends a POST that creates something. Throws the host's refusal unless it responds with 200 or 201. */
export async function post(rest: Rest, request: RestRequest, requestContext: RequestContext): Promise<void> {
  const response = await rest({ ...request, method: 'POST' }, requestContext);
  if (response.status !== 201 && response.status !== 200) throw await refusal(requestContext, response);
  response.discard();
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
