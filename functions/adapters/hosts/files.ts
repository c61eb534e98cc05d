import { createHash } from 'node:crypto';
import { DeployError } from '../../core/errors.ts';
import type { CommitRef } from '../../core/payload/delivery.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { readText, TooLarge } from './body.ts';
import { isRelativePath } from './coordinates.ts';
import { type Attempt, breakdown, refusal } from './failures.ts';
import type { Rest, RestCall } from './rest.ts';

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
  fileCall(commit: CommitRef, path: string): Pick<RestCall, 'path' | 'accept'>;
  /** A call that succeeds when the commit can be seen. */
  commitCall(commit: CommitRef): Pick<RestCall, 'path' | 'accept'>;
}

/**
 * Reads files as text.
 *
 * Hosts answer 404 alike for a file that is not in the tree and for a repository that one may not see. Asking for the
 * commit tells them apart; a commit that was seen once is remembered, because without a token every call counts (60/h
 * at GitHub).
 */
export function fileReader(rest: Rest, addresses: FileAddresses, attempt: (request: FileRequest) => Attempt) {
  const seen = new Set<string>();
  return async (request: FileRequest): Promise<string | null> => {
    const trying = attempt(request);
    const { commit, path, token, maxBytes } = request;
    if (!isRelativePath(path)) throw climbing(trying);
    const key = seenKey(commit, token);
    const answer = await rest({ ...addresses.fileCall(commit, path), token }, trying);
    if (answer.status === 404) {
      const gone = await refusal(trying, answer);
      if (!seen.has(key) && !(await canSee(rest, addresses, { commit, token }, trying))) throw gone;
      remember(seen, key);
      return null;
    }
    if (answer.status !== 200) throw await refusal(trying, answer);
    remember(seen, key);
    return read(answer, maxBytes, trying);
  };
}

/** Whether a commit can be seen with a token. Throws when the host does not say. */
export async function canSee(
  rest: Rest,
  addresses: Pick<FileAddresses, 'commitCall'>,
  { commit, token }: Pick<FileRequest, 'commit' | 'token'>,
  attempt: Attempt,
): Promise<boolean> {
  const answer = await rest({ ...addresses.commitCall(commit), token }, attempt);
  // GitHub has 422 for a commit id that it does not know.
  if (![200, 404, 422].includes(answer.status)) throw await refusal(attempt, answer);
  answer.discard();
  return answer.status === 200;
}

async function read(answer: Parameters<typeof readText>[0], maxBytes: number, attempt: Attempt): Promise<string> {
  try {
    return await readText(answer, maxBytes);
  } catch (cause) {
    if (!(cause instanceof TooLarge)) throw breakdown(attempt, cause);
    throw new DeployError(attempt.code, `Too large: ${attempt.what} has more than ${maxBytes} bytes.`, {
      retry: false,
    });
  }
}

function climbing({ code }: Attempt): DeployError {
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
