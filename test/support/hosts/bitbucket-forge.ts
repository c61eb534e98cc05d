import type { CommitStatus } from '../../../functions/core/ports/repository-host.ts';
import { AUTHOR } from '../../contracts/repository-host.ts';
import { type Forge, type ForgeRoute, isPrivate, openForge, tarballOf } from './forge.ts';

const notFound = { status: 404, json: { type: 'error', error: { message: 'Resource not found' } } };
const unauthorized = { status: 401, bytes: '' };
const repository = '/2.0/repositories/{owner}/{name}';
const states: Readonly<Record<string, CommitStatus['state']>> = {
  INPROGRESS: 'pending',
  SUCCESSFUL: 'success',
  FAILED: 'failure',
  STOPPED: 'error',
};

// As https://developer.atlassian.com/cloud/bitbucket/rest/ documents the answers.
const routes: readonly ForgeRoute[] = [
  {
    call: `GET ${repository}/src/{sha}/{path+}`,
    answer({ at, login }, forge) {
      const bytes = forge.see(`${at.owner}/${at.name}`, at.sha ?? '', login)?.files[at.path ?? ''];
      return bytes === undefined ? notFound : { status: 200, bytes };
    },
  },
  {
    call: `GET ${repository}/commit/{sha}`,
    answer({ at, login }, forge) {
      const repository = `${at.owner}/${at.name}`;
      const commit = forge.see(repository, forge.whole(repository, at.sha ?? '') ?? null, login);
      return commit ? { status: 200, json: { type: 'commit', hash: commit.sha } } : notFound;
    },
  },
  {
    call: `GET ${repository}/refs/branches/{branch+}`,
    answer({ at, login }, forge) {
      const hash = forge.tip(`${at.owner}/${at.name}`, at.branch ?? '', login);
      const message = forge.see(`${at.owner}/${at.name}`, hash ?? null, login)?.message ?? 'suite';
      return hash
        ? {
            status: 200,
            json: { name: at.branch, target: { hash, message, author: { raw: `${AUTHOR} <ada@example.test>` } } },
          }
        : notFound;
    },
  },
  {
    call: `GET ${repository}`,
    answer: ({ at, login }, forge) =>
      forge.tip(`${at.owner}/${at.name}`, '', login) === null
        ? notFound
        : {
            status: 200,
            json: {
              type: 'repository',
              mainbranch: { type: 'branch', name: 'main' },
              is_private: isPrivate(forge, `${at.owner}/${at.name}`),
            },
          },
  },
  {
    call: 'GET /{owner}/{name}/get/{sha}.tar.gz',
    async answer({ at, login }, forge) {
      const commit = forge.see(`${at.owner}/${at.name}`, at.sha ?? '', login);
      return commit ? { status: 200, bytes: await tarballOf(commit) } : { status: 404, bytes: '<html>' };
    },
  },
  {
    call: `GET ${repository}/commits/`,
    query: ['include', 'exclude', 'pagelen', 'fields'],
    answer({ at, query, login }, forge) {
      const seen = ['include', 'exclude'].map((one) => forge.see(`${at.owner}/${at.name}`, query.get(one), login));
      const [commit, other] = seen;
      if (!commit || !other) return notFound;
      const values = forge.news(commit, other).map((hash) => ({ hash }));
      return { status: 200, json: { values: values.slice(0, Number(query.get('pagelen'))) } };
    },
  },
  {
    call: `POST ${repository}/commit/{sha}/statuses/build`,
    answer({ at, json, login }, forge) {
      const commit = login ? forge.see(`${at.owner}/${at.name}`, at.sha ?? '', login) : undefined;
      if (!commit) return login ? notFound : unauthorized;
      const { url: targetUrl = '', description = '', name: context = '' } = json;
      const state = states[json.state ?? ''];
      if (!state || !json.key || json.key.length > 40) {
        return { status: 400, json: { type: 'error', error: { message: 'Bad request', fields: {} } } };
      }
      commit.statuses.push({ state, targetUrl, description, context });
      return { status: 201, json: { type: 'build', key: json.key, state: json.state } };
    },
  },
  {
    call: 'GET /2.0/user',
    answer: ({ login }) =>
      login
        ? {
            status: 200,
            json: { type: 'user', username: login, nickname: login, display_name: 'Octo' },
            headers: { 'x-oauth-scopes': 'read:repository:bitbucket, read:user:bitbucket' },
          }
        : unauthorized,
  },
];

/** Opens a strict mock of Bitbucket's API; its tokens are `<email>:<token>`. */
export function bitbucketForge(): Promise<Forge> {
  return openForge(routes, ({ authorization = '' }) => {
    const given = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString();
    const [user = '', ...token] = given.split(':');
    return `${user.toLowerCase()}:${token.join(':')}`;
  });
}
