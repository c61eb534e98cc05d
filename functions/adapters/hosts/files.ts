import { createHash } from 'node:crypto';
import { DeployError } from '../../core/errors.ts';
import type { CommitRef } from '../../core/payload/delivery.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { isRelativePath } from './coordinates.ts';
import { breakdown } from './failures.ts';
import { readText, TooLarge } from './http/body.ts';
import type { HttpResponse } from './http/http-client.ts';
import type { Api, RestRequest } from './rest.ts';

interface FileRequest {
  readonly commit: CommitRef;
  readonly path: string;
  readonly token: HostToken;
  readonly maxBytes: number;
}

/** The API paths of a host's files and commits. */
export interface FileAddresses {
  /** Returns the request for the bytes of a file; `path` is relative and has no `..` segments. */
  fileRequest(commit: CommitRef, path: string, token: HostToken): RestRequest;
  /** Returns a request that succeeds when the commit is visible. */
  commitRequest(commit: CommitRef): RestRequest;
}

/**
 * Returns a function that reads files as strings; null when the tree does not have the file.
 *
 * Hosts respond 404 both for a file that is not in the tree and for a repository that the token cannot access. A
 * request for the commit distinguishes them; visible commits are cached, because without a token every request counts
 * against the rate limit (60 per hour at GitHub).
 */
export function fileReader(addresses: FileAddresses) {
  const seen = new Set<string>();
  return async (api: Api, { commit, path, token, maxBytes }: FileRequest): Promise<string | null> => {
    if (!isRelativePath(path)) {
      const detail = 'The path of a file must be relative and must not contain "..".';
      throw new DeployError(api.purpose.code, detail, { retry: false });
    }
    const key = seenKey(commit, token);
    const response = await api.send(addresses.fileRequest(commit, path, token));
    if (response.status === 404) {
      const notFound = await api.refusal(response);
      if (!seen.has(key) && !(await canSee(api, addresses.commitRequest(commit)))) throw notFound;
      remember(seen, key);
      return null;
    }
    if (response.status !== 200) throw await api.refusal(response);
    remember(seen, key);
    return read(api, response, maxBytes);
  };
}

/** Returns whether a commit is visible. Throws when the host responds with anything but 200, 404 or 422. */
export async function canSee(api: Api, commitRequest: RestRequest): Promise<boolean> {
  const response = await api.send(commitRequest);
  // GitHub responds 422 for an unknown commit id.
  if (![200, 404, 422].includes(response.status)) throw await api.refusal(response);
  response.discard();
  return response.status === 200;
}

/**
 * Returns the response with a part of a repository; null when the repository is visible and does not have it: hosts
 * answer 404 for a repository that is not visible too.
 */
export async function ofVisible(api: Api, part: RestRequest, repositoryPath: string): Promise<HttpResponse | null> {
  const response = await api.send(part);
  if (response.status === 200) return response;
  const refused = await api.refusal(response);
  if (response.status !== 404) throw refused;
  const repository = await api.send({ ...part, path: repositoryPath });
  repository.discard();
  if (repository.status === 200) return null;
  throw refused;
}

async function read({ purpose }: Api, response: HttpResponse, maxBytes: number): Promise<string> {
  try {
    return await readText(response, maxBytes);
  } catch (cause) {
    if (!(cause instanceof TooLarge)) throw breakdown(purpose, cause);
    const detail = `Too large: ${purpose.what} has more than ${maxBytes} bytes.`;
    throw new DeployError(purpose.code, detail, { retry: false });
  }
}

function seenKey({ owner, name, sha }: CommitRef, token: HostToken): string {
  const who = token === null ? '' : createHash('sha256').update(token).digest('hex');
  return `${owner}/${name}/${sha}/${who}`;
}

function remember(seen: Set<string>, key: string): void {
  if (seen.size >= 1000) seen.clear();
  seen.add(key);
}
