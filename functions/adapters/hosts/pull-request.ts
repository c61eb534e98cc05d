import * as v from 'valibot';
import { isWorkInProgress } from '../../core/payload/delivery.ts';
import type { HostToken, OpenPullRequest, PullRequestList } from '../../core/ports/repository-host.ts';
import { oneLine } from '../../core/text.ts';
import { commitId, textOrNone } from './branch-tip.ts';
import { notUnderstood, paceOf, type RequestContext, refusal } from './failures.ts';
import { readText } from './http/body.ts';
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
/** For a whole answer: nobody waits for it, and a host that hangs must not occupy the function that asks. */
const TIMEOUT_MS = 15_000;

/**
 * Whether a pull request is open. Hosts answer 404 for an unknown one and for a repository that is not visible: only
 * the former is closed.
 */
export async function isOpen(
  rest: Rest,
  { path, repositoryPath, open, token }: PullRequestCalls & { readonly token: HostToken },
  requestContext: RequestContext,
): Promise<boolean> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await rest({ path, token, signal }, requestContext);
  if (response.status === 200) return open.includes((await parsed(PullRequest, response, requestContext)).state);
  const refused = await refusal(requestContext, response);
  if (response.status !== 404) throw refused;
  const seen = await rest({ path: repositoryPath, token, signal }, requestContext);
  seen.discard();
  if (seen.status === 200) return false;
  throw refused;
}

/** The list of a repository's open pull requests. */
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
  if (response.status !== 200) throw await refusal(requestContext, response);
  const body = await readText(response, MAX_LIST_BYTES)
    .then(JSON.parse, () => undefined)
    .catch(() => undefined);
  const list = v.safeParse(schema, body);
  if (!list.success) throw notUnderstood(requestContext);
  return { open: list.output, tag: response.headers.etag ?? null, paceSeconds };
}

/** The number of a pull request. */
export const pullNumber = v.pipe(v.number(), v.integer(), v.minValue(1));
/** A head commit, when the host names the whole of it. */
export const headCommit = v.fallback(v.nullable(commitId), null);

/** What people have written in a pull request, under a name of its own at each host. */
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

const place = v.nullish(v.object({ id: v.nullish(v.number()) }));
const end = v.object({ repo: place, repo_id: v.nullish(v.number()) });

/** The pull requests of GitHub, Gitea and Forgejo. A repository that was deleted is one of a stranger too. */
export const githubPullRequests = v.array(
  v.pipe(
    v.object({
      ...{ number: pullNumber, title: textOrNone, draft: v.nullish(v.boolean()), updated_at: textOrNone },
      user: v.nullish(v.object({ login: textOrNone })),
      head: v.object({ ...end.entries, ref: v.string(), sha: headCommit }),
      base: end,
    }),
    v.transform(({ number, title, draft, updated_at, user, head, base }): OpenPullRequest => {
      const from = head.repo?.id ?? head.repo_id ?? null;
      return {
        ...{ number, sha: head.sha },
        ...described({ branch: head.ref, title, author: user?.login, updatedAt: updated_at }),
        draft: draft ?? isWorkInProgress(title),
        fromFork: from === null || from !== (base.repo?.id ?? base.repo_id),
      };
    }),
  ),
);
