import * as v from 'valibot';
import type { OpenPullRequest, PullRequestList, PullRequestState } from '../../core/ports/repository-host.ts';
import { paceOf } from './failures.ts';
import { ofVisible } from './files.ts';
import type { Api } from './rest.ts';

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

/** Returns what a pull request is now: one that the repository does not have is closed. */
export async function pullRequestState(
  api: Api,
  { path, open }: PullRequestCalls,
  repositoryPath: string,
): Promise<PullRequestState> {
  const response = await ofVisible(api, { path, signal: AbortSignal.timeout(TIMEOUT_MS) }, repositoryPath);
  if (response === null) return { isOpen: false, head: null };
  const { state, head, sha, source } = await api.parse(PullRequest, response);
  return { isOpen: open.includes(state), head: head?.sha ?? sha ?? source?.commit.hash ?? null };
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
  api: Api,
  { path, schema }: PullRequestListCalls,
  tag: string | null,
): Promise<PullRequestList> {
  const headers = tag === null ? {} : { 'if-none-match': tag };
  const response = await api.send({ path, headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
  const paceSeconds = paceOf(response);
  if (response.status === 304 && tag !== null) {
    response.discard();
    return { open: null, tag, paceSeconds };
  }
  const open = await api.parse(schema, response, MAX_LIST_BYTES);
  return { open, tag: response.headers.etag ?? null, paceSeconds };
}
