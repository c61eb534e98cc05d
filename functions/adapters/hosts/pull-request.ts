import * as v from 'valibot';
import type {
  HostToken,
  OpenPullRequest,
  PullRequestList,
  PullRequestState,
} from '../../core/ports/repository-host.ts';
import { oneLine } from '../../core/text.ts';
import { commitId } from './branch-tip.ts';
import { paceOf, type RequestContext, refusal } from './failures.ts';
import { parsed } from './pairing.ts';
import type { Rest } from './rest.ts';

export interface PullRequestCalls {
  readonly path: string;
  /** Its states while it is neither closed nor merged. */
  readonly open: readonly string[];
}

/** What a host says besides the state is not needed to know whether it is open. */
const unlessOther = <T>(schema: v.GenericSchema<unknown, T>) => v.fallback(v.nullish(schema), null);
const PullRequest = v.object({
  state: v.string(),
  // The head commit: of GitHub and Gitea, of GitLab, of Bitbucket.
  head: unlessOther(v.object({ sha: v.string() })),
  sha: unlessOther(v.string()),
  source: unlessOther(v.object({ commit: v.object({ hash: v.string() }) })),
});
/** For a whole answer: nobody waits for it, and a host that hangs must not occupy the function that asks. */
const TIMEOUT_MS = 15_000;

/**
 * Returns what a pull request is now. Hosts answer 404 for an unknown one and for a repository that is not visible: only
 * the former is closed.
 */
export async function pullRequestState(
  rest: Rest,
  {
    path,
    repositoryPath,
    open,
    token,
  }: PullRequestCalls & { readonly repositoryPath: string; readonly token: HostToken },
  requestContext: RequestContext,
): Promise<PullRequestState> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await rest({ path, token, signal }, requestContext);
  if (response.status === 200) {
    const { state, head, sha, source } = await parsed(PullRequest, response, requestContext);
    return { isOpen: open.includes(state), head: head?.sha ?? sha ?? source?.commit.hash ?? null };
  }
  const refused = await refusal(requestContext, response);
  if (response.status !== 404) throw refused;
  const seen = await rest({ path: repositoryPath, token, signal }, requestContext);
  seen.discard();
  if (seen.status === 200) return { isOpen: false, head: null };
  throw refused;
}

export interface PullRequestListCalls {
  readonly path: string;
  readonly schema: v.GenericSchema<unknown, readonly OpenPullRequest[]>;
}

/** How many are asked for: an answer of GitHub has 25 kB of each, and the text that its author has written. */
export const LISTED = 50;
const MAX_LIST_BYTES = 8 * 1024 * 1024;

/** Returns the open pull requests that changed last, if they have changed since the answer with a tag. */
export async function openPullRequests(
  rest: Rest,
  { path, schema, token, tag }: PullRequestListCalls & { readonly token: HostToken; readonly tag: string | null },
  requestContext: RequestContext,
): Promise<PullRequestList> {
  const headers = tag === null ? {} : { 'if-none-match': tag };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await rest({ path, token, headers, signal }, requestContext);
  const paceSeconds = paceOf(response);
  if (response.status === 304 && tag !== null) {
    response.discard();
    return { open: null, tag, paceSeconds };
  }
  const open = await parsed(schema, response, requestContext, MAX_LIST_BYTES);
  return { open, tag: response.headers.etag ?? null, paceSeconds };
}

export const pullNumber = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A head commit, when the host names the whole of it. */
export const headCommit = v.fallback(v.nullable(commitId), null);

/** The texts of a pull request, whose fields have other names at each host. */
interface Described {
  readonly branch: string;
  readonly title: string | null | undefined;
  readonly author: string | null | undefined;
  readonly updatedAt: string | null | undefined;
}

/** Returns what people have written as it may be stored and shown. */
export function described({ branch, title, author, updatedAt }: Described) {
  const at = Date.parse(updatedAt ?? '');
  return {
    branch: oneLine(branch, 255) ?? '?',
    title: oneLine(title ?? '', 200),
    author: oneLine(author ?? '', 100),
    updatedAt: Number.isFinite(at) ? at : null,
  };
}
