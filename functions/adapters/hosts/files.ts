import { createHash } from 'node:crypto';
import type { CommitRef } from '../../core/delivery.ts';
import { DeployError } from '../../core/errors.ts';
import type { HostToken } from '../../core/ports/repository-host.ts';
import { readText, TooLarge } from './body.ts';
import { encodePath } from './coordinates.ts';
import type { Answer } from './exchange.ts';
import { type Attempt, breakdown, refusal } from './failures.ts';
import type { Api } from './rest.ts';

/** One file of a commit, and how it is asked for. */
export interface FileRequest {
  readonly commit: CommitRef;
  readonly path: string;
  readonly token: HostToken;
  readonly maxBytes: number;
}

/**
 * Reads files through `GET /repos/{owner}/{repo}/contents/{path}` as raw text
 * (https://docs.github.com/rest/repos/contents#get-repository-content).
 *
 * GitHub answers 404 alike for a file that is not in the tree and for a repository that one may not see. Asking for the
 * commit tells them apart; a commit that was seen once is remembered, because without a token every call counts (60/h).
 */
export function fileReader(api: Api, attempt: (request: FileRequest) => Attempt) {
  const seen = new Set<string>();
  return async (request: FileRequest): Promise<string | null> => {
    const trying = attempt(request);
    const { commit, token, maxBytes } = request;
    const key = seenKey(commit, token);
    const answer = await api({ path: contentsPath(request, trying), token, accept: rawType }, trying);
    if (answer.status === 404) {
      const gone = await refusal(trying, answer);
      if (!seen.has(key)) await checkVisible(api, request, trying, gone);
      remember(seen, key);
      return null;
    }
    if (answer.status !== 200) throw await refusal(trying, answer);
    remember(seen, key);
    return read(answer, maxBytes, trying);
  };
}

const rawType = 'application/vnd.github.raw+json';

function contentsPath({ commit, path }: FileRequest, { code }: Attempt): string {
  const encoded = encodePath(path);
  if (encoded === null)
    throw new DeployError(code, 'The path of a file is relative and stays in the tree.', { retry: false });
  return `repos/${commit.owner}/${commit.name}/contents/${encoded}?ref=${commit.sha}`;
}

async function read(answer: Answer, maxBytes: number, attempt: Attempt): Promise<string> {
  try {
    return await readText(answer, maxBytes);
  } catch (cause) {
    if (!(cause instanceof TooLarge)) throw breakdown(attempt, cause);
    throw new DeployError(attempt.code, `Too large: ${attempt.what} has more than ${maxBytes} bytes.`, {
      retry: false,
    });
  }
}

async function checkVisible(api: Api, request: FileRequest, attempt: Attempt, gone: DeployError): Promise<void> {
  const { owner, name, sha } = request.commit;
  const call = {
    path: `repos/${owner}/${name}/commits/${sha}`,
    token: request.token,
    accept: 'application/vnd.github.sha',
  };
  const answer = await api(call, attempt);
  if (answer.status === 404 || answer.status === 422) {
    answer.discard();
    throw gone;
  }
  if (answer.status !== 200) throw await refusal(attempt, answer);
  answer.discard();
}

function seenKey({ owner, name, sha }: CommitRef, token: HostToken): string {
  const who = token === null ? '' : createHash('sha256').update(token).digest('hex');
  return `${owner}/${name}/${sha}/${who}`;
}

function remember(seen: Set<string>, key: string): void {
  if (seen.size >= 1000) seen.clear();
  seen.add(key);
}
