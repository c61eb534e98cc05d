import type { IncomingMessage, ServerResponse } from 'node:http';
import * as v from 'valibot';
import type { ArchiveLinks } from '../git/archive.ts';
import { pipeOutput } from '../git/command-output.ts';
import { readCommits } from '../git/commit-log.ts';
import type { Git } from '../git/git.ts';
import { compareCommits, findBlob, findCommit } from '../git/revisions.ts';
import { type CommitStatuses, NewStatus, type StoredStatus } from '../store/commit-statuses.ts';
import type { Repositories } from '../store/repositories.ts';
import { type Caller, challenge, checkTrusted, type VisibleRepository, visible } from './access.ts';
import { notFound, RestError } from './rest-error.ts';

/** What the REST API answers from. */
export interface RestParts {
  readonly git: Git;
  readonly repositories: Repositories;
  readonly statuses: CommitStatuses;
  readonly links: ArchiveLinks;
  /** Address of the host. */
  readonly url: () => string;
}

/** A request to the API; `path` is decoded, in segments. */
export interface RestRequest {
  readonly caller: Caller;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** A request that concerns a repository. */
interface InRepository extends RestRequest {
  readonly repository: VisibleRepository;
  /** What follows the name of the call. */
  readonly rest: string;
}

type Handler = (parts: RestParts, call: InRepository) => Promise<void>;

const handlers: Readonly<Record<string, Handler>> = {
  'GET contents': getContents,
  'GET commits': getCommit,
  'GET compare': getComparison,
  'GET tarball': getTarball,
  'POST statuses': postStatus,
};

/** Whether a path belongs to the API; no repository's owner has such a name. */
export function isRestPath(path: readonly string[]): boolean {
  return path[0] === 'repos' || (path[0] === 'user' && path.length === 1);
}

/** Answers one request as GitHub's REST API does, or throws a `RestError`. */
export async function serveRest(parts: RestParts, call: RestRequest): Promise<void> {
  const [kind, owner = '', name = '', resource = '', ...rest] = call.path;
  const { method } = call.request;
  if (kind === 'user' && call.path.length === 1 && method === 'GET') return getUser(call);
  const handler = handlers[`${method} ${resource}`];
  if (kind !== 'repos' || handler === undefined) throw notFound();
  const repository = visible(parts.repositories, call.caller, owner, name);
  await handler(parts, { ...call, repository, rest: rest.join('/') });
}

/** Answers with JSON. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
}

async function getUser({ caller, response }: RestRequest): Promise<void> {
  if (caller.kind === 'anybody') throw new RestError(401, 'Requires authentication', challenge);
  if (caller.kind === 'token') {
    response.setHeader('x-oauth-scopes', caller.grant.scopes.join(', '));
    const { expiresAt } = caller.grant;
    if (expiresAt !== null) response.setHeader('github-authentication-token-expiration', utc(expiresAt));
  }
  sendJson(response, 200, { login: caller.login, type: 'User' });
}

async function getContents({ git }: RestParts, { repository, rest, query, response }: InRepository): Promise<void> {
  const ref = query.get('ref') ?? 'HEAD';
  const commit = await findCommit(git, repository.folder, ref);
  if (commit === null) throw new RestError(404, `No commit found for the ref ${ref}`);
  const blob = await findBlob(git, repository.folder, commit, rest);
  if (blob === null) throw notFound();
  if (blob === 'tree') throw new RestError(415, 'A folder has no raw contents.');
  response.writeHead(200, {
    'content-type': 'application/vnd.github.raw+json; charset=utf-8',
    'content-length': String(blob.bytes),
  });
  await pipeOutput(git.start(['-C', repository.folder, 'cat-file', 'blob', blob.id]), response);
}

async function getCommit(parts: RestParts, { repository, rest, request, response }: InRepository): Promise<void> {
  const ref = rest.replace(/\/statuses$/, '');
  const sha = await findCommit(parts.git, repository.folder, ref);
  if (sha === null) throw new RestError(422, `No commit found for SHA: ${ref}`);
  if (ref !== rest) {
    const statuses = await parts.statuses.list(repository, sha);
    return sendJson(response, 200, statuses.map(shownStatus));
  }
  if (request.headers.accept?.includes('.sha')) {
    response.writeHead(200, { 'content-type': 'application/vnd.github.sha; charset=utf-8' }).end(sha);
    return;
  }
  const [commit] = await readCommits(parts.git, repository.folder, ['--max-count=1', sha]);
  const { message, author, committer, tree } = commit ?? {};
  sendJson(response, 200, { sha, commit: { message, author, committer, tree: { sha: tree } } });
}

async function getComparison({ git }: RestParts, { repository, rest, response }: InRepository): Promise<void> {
  const [base = '', head = ''] = rest.split('...');
  const [from, to] = await Promise.all([base, head].map((ref) => findCommit(git, repository.folder, ref)));
  if (!from || !to) throw notFound();
  const standing = await compareCommits(git, repository.folder, from, to);
  if (standing === null) throw new RestError(404, `No common ancestor between ${base} and ${head}.`);
  const { ahead, behind, mergeBase } = standing;
  sendJson(response, 200, {
    status: ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    base_commit: { sha: from },
    merge_base_commit: { sha: mergeBase },
    commits: [],
  });
}

async function getTarball(parts: RestParts, { repository, rest, response }: InRepository): Promise<void> {
  const sha = await findCommit(parts.git, repository.folder, rest || 'HEAD');
  if (sha === null) throw notFound();
  const { owner, name } = repository;
  response.writeHead(302, { location: `${parts.url()}${parts.links.make({ owner, name, sha })}` }).end();
}

async function postStatus(parts: RestParts, call: InRepository): Promise<void> {
  const { repository, rest, caller } = call;
  checkTrusted(caller, repository.owner);
  const sha = await findCommit(parts.git, repository.folder, rest);
  if (sha === null) throw new RestError(422, `No commit found for SHA: ${rest}`);
  const status = v.safeParse(NewStatus, await readBody(call.request));
  if (!status.success) throw new RestError(422, 'Validation Failed');
  const creator = caller.kind === 'anybody' ? '' : caller.login;
  const stored = await parts.statuses.add(repository, sha, { ...status.output, creator });
  sendJson(call.response, 201, shownStatus(stored));
}

function shownStatus({ id, state, target_url, description, context, created_at, creator }: StoredStatus) {
  return {
    id,
    state,
    target_url,
    description,
    context,
    created_at,
    updated_at: created_at,
    creator: { login: creator },
  };
}

async function readBody(request: IncomingMessage): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > 65_536) throw new RestError(413, 'Payload Too Large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new RestError(400, 'Problems parsing JSON');
  }
}

/** `2027-01-30 09:12:13 UTC`, as GitHub writes the end of a token. */
function utc(time: string): string {
  return `${new Date(time).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
