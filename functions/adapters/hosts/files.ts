import { createHash } from 'node:crypto';
import { DeployError } from '../../core/errors.ts';
import type { CommitRef } from '../../core/payload/delivery.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { readText, TooLarge } from './body.ts';
import { isRelativePath } from './coordinates.ts';
import { breakdown, type RequestContext, refusal } from './failures.ts';
import type { Rest, RestRequest } from './rest.ts';

/** One file of a commit, and how it is asked for. */
export interface FileRequest {
  readonly commit: CommitRef;
  readonly path: string;
  readonly token: HostToken;
  readonly maxBytes: number;
}

/** Where a host has files and commits. */
export interface FileAddresses {
  /** The call that answers with the bytes of a file; `path` is relative and climbs nowhere. */
  fileRequest(commit: CommitRef, path: string): Pick<RestRequest, 'path' | 'accept'>;
  /** A call that succeeds when the commit can be seen. */
  commitRequest(commit: CommitRef): Pick<RestRequest, 'path' | 'accept'>;
}

/**
 * Reads files as text.
 *
 * Hosts answer 404 alike for a file that is not in the tree and for a repository that one may not see. Asking for the
 * commit tells them apart; a commit that was seen once is remembered, because without a token every call counts (60/h
 * at GitHub).
 */
export function fileReader(rest: Rest, addresses: FileAddresses, contextFor: (request: FileRequest) => RequestContext) {
  const seen = new Set<string>();
  return async (request: FileRequest): Promise<string | null> => {
    const requestContext = contextFor(request);
    const { commit, path, token, maxBytes } = request;
    if (!isRelativePath(path)) throw climbing(requestContext);
    const key = seenKey(commit, token);
    const response = await rest({ ...addresses.fileRequest(commit, path), token }, requestContext);
    if (response.status === 404) {
      const gone = await refusal(requestContext, response);
      if (!seen.has(key) && !(await canSee(rest, addresses, { commit, token }, requestContext))) throw gone;
      remember(seen, key);
      return null;
    }
    if (response.status !== 200) throw await refusal(requestContext, response);
    remember(seen, key);
    return read(response, maxBytes, requestContext);
  };
}

/** Whether a commit can be seen with a token. Throws when the host does not say. */
export async function canSee(
  rest: Rest,
  addresses: Pick<FileAddresses, 'commitRequest'>,
  { commit, token }: Pick<FileRequest, 'commit' | 'token'>,
  requestContext: RequestContext,
): Promise<boolean> {
  const response = await rest({ ...addresses.commitRequest(commit), token }, requestContext);
  // GitHub has 422 for a commit id that it does not know.
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

function climbing({ code }: RequestContext): DeployError {
  return new DeployError(code, 'The path of a file is relative and stays in the tree.', { retry: false });
}

function seenKey({ owner, name, sha }: CommitRef, token: HostToken): string {
  const who = token === null ? '' : createHash('sha256').update(token).digest('hex');
  return `${owner}/${name}/${sha}/${who}`;
}

function remember(seen: Set<string>, key: string): void {
  if (seen.size >= 1000) seen.clear();
  seen.add(key);
}
