import * as v from 'valibot';
import { compareCommits, findBlob, findCommit, readCommit } from '../git/revisions.ts';
import { NewStatus, type StoredStatus } from '../store/commit-statuses.ts';
import { checkTrusted, type VisibleRepository, visible } from './access.ts';
import type { RestDependencies, RestRequest } from './dependencies.ts';
import { json, notFound, type RestAnswer, RestError, readBody } from './rest-answer.ts';
import { answerUser } from './user.ts';

interface RepositoryRequest extends RestRequest {
  readonly repository: VisibleRepository;
  /** The path after the name of the endpoint. */
  readonly rest: string;
}

type Handler = (deps: RestDependencies, call: RepositoryRequest) => Promise<RestAnswer>;

const handlers: Readonly<Record<string, Handler>> = {
  'GET ': getRepository,
  'GET branches': getBranch,
  'GET contents': getContents,
  'GET commits': getCommit,
  'GET compare': getComparison,
  'GET pulls': getPulls,
  'GET tarball': getTarball,
  'POST statuses': postStatus,
};

/** Whether a path belongs to the API; no owner of a repository can have such a name. */
export function isRestPath(path: readonly string[]): boolean {
  return path[0] === 'repos' || path[0] === 'user';
}

/** Answers one request as GitHub's REST API does, or throws a `RestError`. */
export async function answerRest(deps: RestDependencies, call: RestRequest): Promise<RestAnswer> {
  const [kind, owner = '', name = '', resource = '', ...rest] = call.path;
  if (kind === 'user') return answerUser(deps, call);
  const handler = handlers[`${call.method} ${resource}`];
  if (kind !== 'repos' || handler === undefined) throw notFound();
  const repository = visible(deps.repositories, call.caller, { owner, name });
  return handler(deps, { ...call, repository, rest: rest.join('/') });
}

async function getRepository(_: RestDependencies, { repository }: RepositoryRequest): Promise<RestAnswer> {
  const { owner, name } = repository;
  return json(200, { name, full_name: `${owner}/${name}`, private: repository.private });
}

async function getBranch({ git }: RestDependencies, { repository, rest }: RepositoryRequest): Promise<RestAnswer> {
  const bare = { git, folder: repository.folder };
  const sha = await findCommit(bare, `refs/heads/${rest}`);
  if (sha === null) throw new RestError(404, 'Branch not found');
  const { message, author, committer } = (await readCommit(bare, sha)) ?? {};
  return json(200, { name: rest, commit: { sha, commit: { message, author, committer } } });
}

async function getContents(
  { git }: RestDependencies,
  { repository, rest, query }: RepositoryRequest,
): Promise<RestAnswer> {
  const ref = query.get('ref') ?? 'HEAD';
  const commit = await findCommit({ git, folder: repository.folder }, ref);
  if (commit === null) throw new RestError(404, `No commit found for the ref ${ref}`);
  const blob = await findBlob({ git, folder: repository.folder }, commit, rest);
  if (blob === null) throw notFound();
  if (blob === 'tree') throw new RestError(415, 'A folder has no raw contents.');
  return {
    status: 200,
    headers: {
      'content-type': 'application/vnd.github.raw+json; charset=utf-8',
      'content-length': String(blob.bytes),
    },
    body: git.start(['-C', repository.folder, 'cat-file', 'blob', blob.id]),
  };
}

async function getCommit(deps: RestDependencies, { repository, rest, accept }: RepositoryRequest): Promise<RestAnswer> {
  const ref = rest.replace(/\/statuses$/, '');
  const sha = await findCommit({ git: deps.git, folder: repository.folder }, ref);
  if (sha === null) throw new RestError(422, `No commit found for SHA: ${ref}`);
  if (ref !== rest) {
    const statuses = await deps.statuses.list(repository, sha);
    return json(200, statuses.map(shownStatus));
  }
  if (accept.includes('.sha')) {
    return { status: 200, headers: { 'content-type': 'application/vnd.github.sha; charset=utf-8' }, body: sha };
  }
  const bare = { git: deps.git, folder: repository.folder };
  const { message, author, committer, tree } = (await readCommit(bare, sha)) ?? {};
  return json(200, { sha, commit: { message, author, committer, tree: { sha: tree } } });
}

async function getComparison({ git }: RestDependencies, { repository, rest }: RepositoryRequest): Promise<RestAnswer> {
  const [base = '', head = ''] = rest.split('...');
  const bare = { git, folder: repository.folder };
  const [from, to] = await Promise.all([base, head].map((ref) => findCommit(bare, ref)));
  if (!from || !to) throw notFound();
  const comparison = await compareCommits(bare, from, to);
  if (comparison === null) throw new RestError(404, `No common ancestor between ${base} and ${head}.`);
  const { ahead, behind, mergeBase } = comparison;
  return json(200, {
    status: ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : 'identical',
    ahead_by: ahead,
    behind_by: behind,
    total_commits: ahead,
    base_commit: { sha: from },
    merge_base_commit: { sha: mergeBase },
    commits: [],
  });
}

/** Not 404, after which the caller would take a pull request for closed. */
async function getPulls(): Promise<never> {
  throw new RestError(410, 'This repository host has no pull requests.');
}

async function getTarball(deps: RestDependencies, { repository, rest }: RepositoryRequest): Promise<RestAnswer> {
  const sha = await findCommit({ git: deps.git, folder: repository.folder }, rest || 'HEAD');
  if (sha === null) throw notFound();
  const { owner, name } = repository;
  return { status: 302, headers: { location: `${deps.url()}${deps.links.make({ owner, name, sha })}` }, body: '' };
}

async function postStatus(deps: RestDependencies, call: RepositoryRequest): Promise<RestAnswer> {
  const { repository, rest, caller } = call;
  checkTrusted(caller, repository.owner);
  const sha = await findCommit({ git: deps.git, folder: repository.folder }, rest);
  if (sha === null) throw new RestError(422, `No commit found for SHA: ${rest}`);
  const status = v.safeParse(NewStatus, await readBody(call.body));
  if (!status.success) throw new RestError(422, 'Validation Failed');
  const creator = caller.kind === 'anonymous' ? '' : caller.login;
  const stored = await deps.statuses.add(repository, sha, { ...status.output, creator });
  return json(201, shownStatus(stored));
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
