import * as v from 'valibot';
import type { RepositoryRef } from '../../core/payload/delivery.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { type RequestContext, refusal } from './failures.ts';
import { parsed } from './pairing.ts';
import type { Rest, RestRequest } from './rest.ts';

/** A branch whose newest commit is wanted. */
export interface TipRequest {
  readonly repository: RepositoryRef;
  readonly branch: string;
  readonly token: HostToken;
}

/** The calls for a branch, for hosts that answer 404 for an unknown branch and for a repository that is not visible. */
export interface TipCalls {
  readonly branch: RestRequest;
  readonly repository: RestRequest;
  /** Of the answer to `branch`: the commit's id. */
  readonly schema: v.GenericSchema<unknown, string>;
}

/** Returns the commit at the tip of a branch; null when the repository is visible and has no such branch. */
export async function tipOf(rest: Rest, calls: TipCalls, requestContext: RequestContext): Promise<string | null> {
  const response = await rest(calls.branch, requestContext);
  if (response.status === 200) return parsed(calls.schema, response, requestContext);
  const refused = await refusal(requestContext, response);
  if (response.status !== 404) throw refused;
  const seen = await rest(calls.repository, requestContext);
  seen.discard();
  if (seen.status === 200) return null;
  throw refused;
}

/** Returns the schema of an object whose field holds an object with the commit's id in another. */
export function idIn(field: string, id: string): v.GenericSchema<unknown, string> {
  const commit = v.looseObject({ [id]: v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/)) });
  return v.pipe(
    v.looseObject({ [field]: commit }),
    v.transform((body) => String(body[field]?.[id])),
  );
}
