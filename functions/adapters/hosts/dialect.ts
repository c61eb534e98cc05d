import type { CommitRef } from '../../core/payload/delivery.ts';
import type { CommitStatus, Comparison, HostToken, Pairing } from '../../core/ports/repository-host.ts';
import { type RequestContext, refusal } from './failures.ts';
import type { FileAddresses } from './files.ts';
import type { Rest, RestOptions, RestRequest } from './rest.ts';

/** A status to be set, its description cut already. */
export interface StatusRequest {
  readonly commit: CommitRef;
  readonly status: CommitStatus;
  readonly token: string;
}

/** Two commits of a repository to be compared. */
export interface CompareRequest {
  readonly base: CommitRef;
  readonly head: string;
  readonly token: HostToken;
}

/** What sets a host apart from its peers: its addresses, and how it says things. */
export interface Dialect extends FileAddresses, Pick<RestOptions, 'headers' | 'login'> {
  /** Whether owners may have slashes in them: groups within groups. */
  readonly nestedOwners?: boolean;
  /** The calls that give the tarball: the next one is tried where one is refused for its login (401, 403, 404). */
  tarballRequests(commit: CommitRef, token: HostToken): readonly [RestRequest, ...RestRequest[]];
  setStatus(rest: Rest, request: StatusRequest, requestContext: RequestContext): Promise<void>;
  compare(rest: Rest, request: CompareRequest, requestContext: RequestContext): Promise<Comparison>;
  pair(rest: Rest, credentials: { login: string; secret: string }, requestContext: RequestContext): Promise<Pairing>;
}

/** Sends a POST that makes something; throws what the host says unless it is made. */
export async function post(rest: Rest, request: RestRequest, requestContext: RequestContext): Promise<void> {
  const response = await rest({ ...request, method: 'POST' }, requestContext);
  if (response.status !== 201 && response.status !== 200) throw await refusal(requestContext, response);
  response.discard();
}
