import * as v from 'valibot';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { type RequestContext, refusal } from './failures.ts';
import { parsed } from './pairing.ts';
import type { Rest } from './rest.ts';

/** The paths of a pull request and its repository. */
export interface PullRequestCalls {
  readonly path: string;
  readonly repositoryPath: string;
  /** Its states while it is neither closed nor merged. */
  readonly open: readonly string[];
}

const PullRequest = v.object({ state: v.string() });

/**
 * Whether a pull request is open. Hosts answer 404 for an unknown one and for a repository that is not visible: only
 * the former is closed.
 */
export async function isOpen(
  rest: Rest,
  { path, repositoryPath, open, token }: PullRequestCalls & { readonly token: HostToken },
  requestContext: RequestContext,
): Promise<boolean> {
  const response = await rest({ path, token }, requestContext);
  if (response.status === 200) return open.includes((await parsed(PullRequest, response, requestContext)).state);
  const refused = await refusal(requestContext, response);
  if (response.status !== 404) throw refused;
  const seen = await rest({ path: repositoryPath, token }, requestContext);
  seen.discard();
  if (seen.status === 200) return false;
  throw refused;
}
