import type { CommitStatus } from '../../../functions/core/ports/repository-host.ts';
import { AUTHOR } from '../../contracts/repository-host.ts';
import { type Forge, type ForgeRoute, isPrivate, openForge, tarballOf } from './forge.ts';

const notFound = (what: string) => ({ status: 404, json: { message: `404 ${what} Not Found` } });
const unauthorized = { status: 401, json: { message: '401 Unauthorized' } };
const project = '/api/v4/projects/{project}';
const states: Readonly<Record<string, CommitStatus['state']>> = {
  pending: 'pending',
  success: 'success',
  failed: 'failure',
  canceled: 'error',
};

// As https://docs.gitlab.com/api/ documents the answers.
const routes: readonly ForgeRoute[] = [
  {
    call: `GET ${project}/repository/files/{path}/raw`,
    query: ['ref'],
    answer({ at, query, login }, forge) {
      const commit = forge.see(at.project ?? '', query.get('ref'), login);
      if (!commit) return notFound('Project');
      const bytes = commit.files[at.path ?? ''];
      return bytes === undefined ? notFound('File') : { status: 200, bytes };
    },
  },
  {
    call: `GET ${project}/repository/commits/{sha}`,
    query: ['stats'],
    answer({ at, login }, forge) {
      const commit = forge.see(at.project ?? '', at.sha ?? '', login);
      return commit ? { status: 200, json: { id: commit.sha, short_id: commit.sha.slice(0, 8) } } : notFound('Commit');
    },
  },
  {
    call: `GET ${project}/repository/branches/{branch}`,
    answer({ at, login }, forge) {
      const id = forge.tip(at.project ?? '', at.branch ?? '', login);
      const message = forge.see(at.project ?? '', id ?? null, login)?.message ?? 'suite';
      return id
        ? { status: 200, json: { name: at.branch, commit: { id, message, author_name: AUTHOR } } }
        : notFound(id === null ? 'Project' : 'Branch');
    },
  },
  {
    call: `GET ${project}`,
    answer: ({ at, login }, forge) =>
      forge.tip(at.project ?? '', '', login) === null
        ? notFound('Project')
        : {
            status: 200,
            json: {
              id: 1,
              default_branch: 'main',
              visibility: isPrivate(forge, at.project ?? '') ? 'private' : 'public',
            },
          },
  },
  {
    call: `GET ${project}/repository/archive.tar.gz`,
    query: ['sha'],
    async answer({ at, query, login }, forge) {
      const commit = forge.see(at.project ?? '', query.get('sha'), login);
      return commit ? { status: 200, bytes: await tarballOf(commit) } : notFound('File');
    },
  },
  {
    call: `GET ${project}/repository/merge_base`,
    query: ['refs[]'],
    answer({ at, query, login }, forge) {
      const found = query.getAll('refs[]').map((sha) => forge.see(at.project ?? '', sha, login));
      const [base, head] = found;
      if (!base || !head) return { status: 400, json: { message: '400 Bad request - Could not find ref' } };
      const both = [base, head].find((one) => forge.news(one, one === base ? head : base).length === 0);
      const id = both?.sha ?? base.parent?.sha;
      return id ? { status: 200, json: { id, short_id: id.slice(0, 8) } } : notFound('Merge Base');
    },
  },
  {
    call: `POST ${project}/statuses/{sha}`,
    answer({ at, json, login }, forge) {
      const commit = login ? forge.see(at.project ?? '', at.sha ?? '', login) : undefined;
      if (!commit) return login ? notFound('Commit') : unauthorized;
      const state = states[json.state ?? ''];
      if (!state) return { status: 400, json: { error: 'state does not have a valid value' } };
      commit.statuses.push({
        state,
        targetUrl: json.target_url ?? '',
        description: json.description ?? '',
        context: json.name ?? 'default',
      });
      return { status: 201, json: { id: 93, sha: at.sha, status: json.state, name: json.name } };
    },
  },
  {
    call: 'GET /api/v4/user',
    answer: ({ login }) => (login ? { status: 200, json: { id: 1, username: login, state: 'active' } } : unauthorized),
  },
  {
    call: 'GET /api/v4/personal_access_tokens/self',
    answer: () => ({ status: 200, json: { id: 4, revoked: false, active: true, scopes: ['api'], expires_at: null } }),
  },
];

/** Opens a strict mock of GitLab's API. */
export function gitlabForge(): Promise<Forge> {
  return openForge(routes, (headers) => headers['private-token']?.toString());
}
