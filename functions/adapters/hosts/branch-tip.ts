import * as v from 'valibot';
import type { RepositoryRef } from '../../core/payload/delivery.ts';
import type { BranchTip, HostToken } from '../../core/ports/repository-host.ts';
import { type RequestContext, refusal } from './failures.ts';
import { parsed } from './pairing.ts';
import type { Rest, RestRequest } from './rest.ts';

export interface TipRequest {
  readonly repository: RepositoryRef;
  readonly branch: string;
  readonly token: HostToken;
}

/** The calls for a branch, for hosts that answer 404 for an unknown branch and for a repository that is not visible. */
export interface TipCalls {
  readonly branch: RestRequest;
  readonly repository: RestRequest;
  /** The answer to `branch`: its name and its newest commit. */
  readonly schema: v.GenericSchema<unknown, NamedTip>;
}

interface NamedTip extends BranchTip {
  readonly name: string;
}

/** Returns the commit at the tip of a branch; null when the repository is visible and has no such branch. */
export async function tipOf(
  rest: Rest,
  branch: string,
  calls: TipCalls,
  requestContext: RequestContext,
): Promise<BranchTip | null> {
  const response = await rest(calls.branch, requestContext);
  if (response.status === 200) {
    const { name, ...tip } = await parsed(calls.schema, response, requestContext);
    // The request for a renamed branch may be redirected to its new name, which was not requested.
    return name === branch ? tip : null;
  }
  const refused = await refusal(requestContext, response);
  if (response.status !== 404) throw refused;
  const seen = await rest(calls.repository, requestContext);
  seen.discard();
  if (seen.status === 200) return null;
  throw refused;
}

export const commitId = v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/));
/** A string that a host may leave out. */
export const textOrNone = v.nullish(v.string());
