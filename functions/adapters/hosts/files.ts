import { createHash } from 'node:crypto';
import { DeployError } from '../../core/errors.ts';
import type { CommitRef } from '../../core/payload/delivery.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { isRelativePath } from './coordinates.ts';
import { breakdown, type RequestContext, refusal } from './failures.ts';
import { readText, TooLarge } from './http/body.ts';
import type { Rest, RestRequest } from './rest.ts';

interface FileRequest {
  readonly commit: CommitRef;
  readonly path: string;
  readonly token: HostToken;
  readonly maxBytes: number;
}

/** The API paths of a host's files and commits. */
export interface FileAddresses {
  /** Returns the request for the bytes of a file; `path` is relative and has no `..` segments. */
  fileRequest(commit: CommitRef, path: string, token: HostToken): Pick<RestRequest, 'path' | 'accept'>;
  /** Returns a request that succeeds when the commit is visible. */
  commitRequest(commit: CommitRef): Pick<RestRequest, 'path' | 'accept'>;
}

/**
 * Returns a function that reads files as strings; null when the tree does not have the file.
 *
 * Hosts respond 404 both for a file that is not in the tree and for a repository that the token cannot access. A
 * request for the commit distinguishes them; visible commits are cached, because without a token every request counts
 * against the rate limit (60 per hour at GitHub).
 */
export function fileReader(rest: Rest, addresses: FileAddresses, contextFor: (request: FileRequest) => RequestContext) {
  const seen = new Set<string>();
  return async (request: FileRequest): Promise<string | null> => {
    const requestContext = contextFor(request);
    const { commit, path, token, maxBytes } = request;
    if (!isRelativePath(path)) throw invalidPath(requestContext);
    const key = seenKey(commit, token);
    const response = await rest({ ...addresses.fileRequest(commit, path, token), token }, requestContext);
    if (response.status === 404) {
      const notFound = await refusal(requestContext, response);
      if (!seen.has(key) && !(await canSee(rest, addresses, { commit, token }, requestContext))) throw notFound;
      remember(seen, key);
      return null;
    }
    if (response.status !== 200) throw await refusal(requestContext, response);
    remember(seen, key);
    return read(response, maxBytes, requestContext);
  };
}

/**
 * Returns whether a commit is visible with a token. Throws when the host responds with anything but 200, 404 or 422.
 */
export async function canSee(
  rest: Rest,
  addresses: Pick<FileAddresses, 'commitRequest'>,
  { commit, token }: Pick<FileRequest, 'commit' | 'token'>,
  requestContext: RequestContext,
): Promise<boolean> {
  const response = await rest({ ...addresses.commitRequest(commit), token }, requestContext);
  // GitHub responds 422 for an unknown commit id.
  if (![200, 404, 422].includes(response.status)) throw await refusal(requestContext, response);
  response.discard();
  return response.status === 200;
}

async function read(
  response: Parameters<typeof readText>[0],
  maxBytes: number,
  requestContext: RequestContext,
): Promise<string> {
  try {
    return await readText(response, maxBytes);
  } catch (cause) {
    if (!(cause instanceof TooLarge)) throw breakdown(requestContext, cause);
    throw new DeployError(requestContext.code, `Too large: ${requestContext.what} has more than ${maxBytes} bytes.`, {
      retry: false,
    });
  }
}

function invalidPath({ code }: RequestContext): DeployError {
  return new DeployError(code, 'The path of a file must be relative and must not contain "..".', { retry: false });
}

function seenKey({ owner, name, sha }: CommitRef, token: HostToken): string {
  const who = token === null ? '' : createHash('sha256').update(token).digest('hex');
  return `${owner}/${name}/${sha}/${who}`;
}

function remember(seen: Set<string>, key: string): void {
  if (seen.size >= 1000) seen.clear();
  seen.add(key);
}
