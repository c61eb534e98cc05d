import { createHash } from 'node:crypto';
import type { CommitStatus } from '../../../functions/core/ports/repository-host.ts';
import { AUTHOR } from '../../contracts/repository-host.ts';
import { type Forge, type ForgeRoute, isPrivate, openForge, tarballOf } from './forge.ts';

const notFound = { status: 404, json: { message: "The target couldn't be found.", errors: [] } };
const unauthorized = { status: 401, json: { message: 'invalid username, password or token' } };
const repository = '/api/v1/repos/{owner}/{name}';
const states: Readonly<Record<string, CommitStatus['state']>> = {
  pending: 'pending',
  success: 'success',
  failure: 'failure',
};
const cheap = ['stat', 'verification', 'files'];

// As the API's own description has the answers (https://docs.gitea.com/api/).
function routes(passwords: ReadonlyMap<string, string>, names: Set<string>): readonly ForgeRoute[] {
  return [
    {
      call: `GET ${repository}/raw/{path+}`,
      query: ['ref'],
      answer({ at, query, login }, forge) {
        const bytes = forge.see(`${at.owner}/${at.name}`, query.get('ref'), login)?.files[at.path ?? ''];
        return bytes === undefined ? notFound : { status: 200, bytes };
      },
    },
    {
      call: `GET ${repository}/git/commits/{sha}`,
      query: cheap,
      answer({ at, login }, forge) {
        const commit = forge.see(`${at.owner}/${at.name}`, at.sha ?? '', login);
        return commit ? { status: 200, json: { sha: commit.sha, commit: { message: 'suite' } } } : notFound;
      },
    },
    {
      call: `GET ${repository}/branches/{branch+}`,
      answer({ at, login }, forge) {
        const id = forge.tip(`${at.owner}/${at.name}`, at.branch ?? '', login);
        const message = forge.see(`${at.owner}/${at.name}`, id ?? null, login)?.message ?? 'suite';
        const commit = { id, message, author: { name: AUTHOR, username: 'ada' } };
        return id ? { status: 200, json: { name: at.branch, commit } } : notFound;
      },
    },
    {
      call: `GET ${repository}`,
      answer: ({ at, login }, forge) =>
        forge.tip(`${at.owner}/${at.name}`, '', login) === null
          ? notFound
          : {
              status: 200,
              json: { id: 1, default_branch: 'main', private: isPrivate(forge, `${at.owner}/${at.name}`) },
            },
    },
    {
      call: `GET ${repository}/archive/{sha}.tar.gz`,
      async answer({ at, login }, forge) {
        const commit = forge.see(`${at.owner}/${at.name}`, at.sha ?? '', login);
        return commit ? { status: 200, bytes: await tarballOf(commit) } : notFound;
      },
    },
    {
      call: `GET ${repository}/commits`,
      query: ['sha', 'not', 'limit', ...cheap],
      answer({ at, query, login }, forge) {
        const [commit, other] = ['sha', 'not'].map((one) => forge.see(`${at.owner}/${at.name}`, query.get(one), login));
        if (!commit || !other) return { status: 500, json: { message: '' } };
        const found = forge.news(commit, other);
        const json = found.slice(0, Number(query.get('limit'))).map((sha) => ({ sha, commit: { message: 'suite' } }));
        return { status: 200, json, headers: { 'x-total-count': String(found.length) } };
      },
    },
    {
      call: `POST ${repository}/statuses/{sha}`,
      answer({ at, json, login }, forge) {
        if (!login) return { status: 401, json: { message: 'token is required' } };
        const commit = forge.see(`${at.owner}/${at.name}`, at.sha ?? '', login);
        const { state, target_url: targetUrl = '', description = '', context = '' } = json;
        commit?.statuses.push({ state: states[state ?? ''] ?? 'error', targetUrl, description, context });
        return commit ? { status: 201, json: { id: 1, status: state, context } } : notFound;
      },
    },
    {
      call: 'GET /api/v1/user',
      answer: ({ login }) => (login ? { status: 200, json: { id: 1, login, email: '' } } : unauthorized),
    },
    {
      call: 'POST /api/v1/users/{user}/tokens',
      answer({ at, headers, json: asked }, forge) {
        const given = Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString();
        const user = at.user?.toLowerCase() ?? '';
        if (given.toLowerCase() !== `${user}:${passwords.get(user)}`.toLowerCase()) return unauthorized;
        const name = asked.name ?? '';
        if (names.has(name)) return { status: 400, json: { message: 'access token name has been used already' } };
        names.add(name);
        const sha1 = createHash('sha1').update(name).digest('hex');
        forge.tokens.set(sha1, user);
        const json = { id: 1, name, sha1, token_last_eight: sha1.slice(-8), scopes: asked.scopes };
        return { status: 201, json };
      },
    },
  ];
}

/** Opens a strict mock of Gitea's API; `passwords` are those of its users. */
export function giteaForge(passwords: ReadonlyMap<string, string>): Promise<Forge> {
  return openForge(routes(passwords, new Set()), (headers) => headers.authorization?.replace(/^token /, ''));
}
