import * as v from 'valibot';
import { readCommits } from '../git/commit-log.ts';
import { pipeOutput } from '../git/git.ts';
import { compareCommits, findBlob, findCommit } from '../git/revisions.ts';
import { NewStatus, type StoredStatus } from '../store/commit-statuses.ts';
import { checkTrusted, type VisibleRepository, visible } from './access.ts';
import type { RestDependencies, RestRequest } from './dependencies.ts';
import { readBody, sendJson } from './json.ts';
import { notFound, RestError } from './rest-error.ts';
import { serveUser } from './user.ts';

/** A request to an endpoint of a repository. */
interface RepositoryRequest extends RestRequest {
  readonly repository: VisibleRepository;
  /** The path after the name of the endpoint. */
  readonly rest: string;
}

type Handler = (deps: RestDependencies, call: RepositoryRequest) => Promise<void>;

const handlers: Readonly<Record<string, Handler>> = {
  'GET ': getRepository,
  'GET branches': getBranch,
  'GET contents': getContents,
  'GET commits': getCommit,
  'GET compare': getComparison,
  'GET tarball': getTarball,
  'POST statuses': postStatus,
};

/** Whether a path belongs to the API; no owner of a repository can have such a name. */
export function isRestPath(path: readonly string[]): boolean {
  return path[0] === 'repos' || path[0] === 'user';
}

/** Answers one request as GitHub's REST API does, or throws a `RestError`. */
export async function serveRest(deps: RestDependencies, call: RestRequest): Promise<void> {
  const [kind, owner = '', name = '', resource = '', ...rest] = call.path;
  const { method } = call.request;
  if (kind === 'user') return serveUser(deps, call);
  const handler = handlers[`${method} ${resource}`];
  if (kind !== 'repos' || handler === undefined) throw notFound();
  const repository = visible(deps.repositories, call.caller, { owner, name });
  await handler(deps, { ...call, repository, rest: rest.join('/') });
}

async function getRepository(_: RestDependencies, { repository, response }: RepositoryRequest): Promise<void> {
  const { owner, name } = repository;
  sendJson(response, 200, { name, full_name: `${owner}/${name}`, private: repository.private });
}

async function getBranch({ git }: RestDependencies, { repository, rest, response }: RepositoryRequest): Promise<void> {
  const bare = { git, folder: repository.folder };
  const sha = await findCommit(bare, `refs/heads/${rest}`);
  if (sha === null) throw new RestError(404, 'Branch not found');
  const [commit] = await readCommits(bare, ['--max-count=1', sha]);
  const { message, author, committer } = commit ?? {};
  sendJson(response, 200, { name: rest, commit: { sha, commit: { message, author, committer } } });
}

async function getContents(
  { git }: RestDependencies,
  { repository, rest, query, response }: RepositoryRequest,
): Promise<void> {
  const ref = query.get('ref') ?? 'HEAD';
  const commit = await findCommit({ git, folder: repository.folder }, ref);
  if (commit === null) throw new RestError(404, `No commit found for the ref ${ref}`);
  const blob = await findBlob({ git, folder: repository.folder }, commit, rest);
  if (blob === null) throw notFound();
  if (blob === 'tree') throw new RestError(415, 'A folder has no raw contents.');
  response.writeHead(200, {
    'content-type': 'application/vnd.github.raw+json; charset=utf-8',
    'content-length': String(blob.bytes),
  });
  await pipeOutput(git.start(['-C', repository.folder, 'cat-file', 'blob', blob.id]), response);
}

async function getCommit(
  deps: RestDependencies,
  { repository, rest, request, response }: RepositoryRequest,
): Promise<void> {
  const ref = rest.replace(/\/statuses$/, '');
  const sha = await findCommit({ git: deps.git, folder: repository.folder }, ref);
  if (sha === null) throw new RestError(422, `No commit found for SHA: ${ref}`);
  if (ref !== rest) {
    const statuses = await deps.statuses.list(repository, sha);
    return sendJson(response, 200, statuses.map(shownStatus));
  }
  if (request.headers.accept?.includes('.sha')) {
    response.writeHead(200, { 'content-type': 'application/vnd.github.sha; charset=utf-8' }).end(sha);
    return;
  }
  const [commit] = await readCommits({ git: deps.git, folder: repository.folder }, ['--max-count=1', sha]);
  const { message, author, committer, tree } = commit ?? {};
  sendJson(response, 200, { sha, commit: { message, author, committer, tree: { sha: tree } } });
}

async function getComparison(
  { git }: RestDependencies,
  { repository, rest, response }: RepositoryRequest,
): Promise<void> {
  const [base = '', head = ''] = rest.split('...');
  const bare = { git, folder: repository.folder };
  const [from, to] = await Promise.all([base, head].map((ref) => findCommit(bare, ref)));
  if (!from || !to) throw notFound();
  const comparison = await compareCommits(bare, from, to);
  if (comparison === null) throw new RestError(404, `No common ancestor between ${base} and ${head}.`);
  const { ahead, behind, mergeBase } = comparison;
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

async function getTarball(deps: RestDependencies, { repository, rest, response }: RepositoryRequest): Promise<void> {
  const sha = await findCommit({ git: deps.git, folder: repository.folder }, rest || 'HEAD');
  if (sha === null) throw notFound();
  const { owner, name } = repository;
  response.writeHead(302, { location: `${deps.url()}${deps.links.make({ owner, name, sha })}` }).end();
}

async function postStatus(deps: RestDependencies, call: RepositoryRequest): Promise<void> {
  const { repository, rest, caller } = call;
  checkTrusted(caller, repository.owner);
  const sha = await findCommit({ git: deps.git, folder: repository.folder }, rest);
  if (sha === null) throw new RestError(422, `No commit found for SHA: ${rest}`);
  const status = v.safeParse(NewStatus, await readBody(call.request));
  if (!status.success) throw new RestError(422, 'Validation Failed');
  const creator = caller.kind === 'anonymous' ? '' : caller.login;
  const stored = await deps.statuses.add(repository, sha, { ...status.output, creator });
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
