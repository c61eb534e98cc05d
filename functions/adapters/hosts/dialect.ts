import type { CommitRef } from '../../core/payload/delivery.ts';
import type { CommitStatus, Comparison, HostToken, Pairing } from '../../core/ports/repository-host.ts';
import { type Attempt, refusal } from './failures.ts';
import type { FileAddresses } from './files.ts';
import type { Rest, RestCall, RestOptions } from './rest.ts';

/** A status to be set, its description cut already. */
export interface StatusCall {
  readonly commit: CommitRef;
  readonly status: CommitStatus;
  readonly token: string;
}

/** Two commits of a repository to be compared. */
export interface CompareCall {
  readonly base: CommitRef;
  readonly head: string;
  readonly token: HostToken;
}

/** What sets a host apart from its peers: its addresses, and how it says things. */
export interface Dialect extends FileAddresses, Pick<RestOptions, 'headers' | 'login'> {
  /** Whether owners may have slashes in them: groups within groups. */
  readonly nestedOwners?: boolean;
  /** The calls that give the tarball: the next one is tried where one is refused for its login (401, 403, 404). */
  tarballCalls(commit: CommitRef, token: HostToken): readonly [RestCall, ...RestCall[]];
  setStatus(rest: Rest, call: StatusCall, attempt: Attempt): Promise<void>;
  compare(rest: Rest, call: CompareCall, attempt: Attempt): Promise<Comparison>;
  pair(rest: Rest, credentials: { login: string; secret: string }, attempt: Attempt): Promise<Pairing>;
}

/** Sends a POST that makes something; throws what the host says unless it is made. */
export async function post(rest: Rest, call: RestCall, attempt: Attempt): Promise<void> {
  const answer = await rest({ ...call, method: 'POST' }, attempt);
  if (answer.status !== 201 && answer.status !== 200) throw await refusal(attempt, answer);
  answer.discard();
}
