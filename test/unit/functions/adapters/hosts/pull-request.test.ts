import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHosts } from '../../../../../functions/adapters/hosts/open-hosts.ts';
import { type StrictServer, strictServer } from '../../../../support/hosts/strict-server.ts';

const repository = { host: 'work', owner: 'octo', name: 'hello' };

/** Where each kind of host has its pull requests, and what it says of them. */
const kinds = [
  ['github', '/repos/octo/hello', '/repos/octo/hello/pulls/7', { open: 'open', closed: 'closed' }],
  ['gitea', '/repos/octo/hello', '/repos/octo/hello/pulls/7', { open: 'open', closed: 'closed' }],
  ['gitlab', '/projects/octo%2Fhello', '/projects/octo%2Fhello/merge_requests/7', { open: 'opened', closed: 'merged' }],
  [
    ...(['bitbucket', '/repositories/octo/hello', '/repositories/octo/hello/pullrequests/7?fields=state'] as const),
    { open: 'OPEN', closed: 'DECLINED' },
  ],
] as const;

describe.each(kinds)('a pull request at %s', (kind, at, path, states) => {
  let server: StrictServer;
  beforeEach(async () => {
    server = await strictServer();
  });
  afterEach(() => server.close());

  const isOpen = () => {
    const config = { name: 'work', kind, api: server.url, web: server.url, privateNetwork: true };
    return openHosts([config]).named('work').isOpen(repository, 7, 'a-token');
  };

  it.each([
    ['open', true],
    ['closed', false],
  ] as const)('that is %s', async (state, open) => {
    server.expect({ request: `GET ${path}`, body: JSON.stringify({ state: states[state] }) });
    expect(await isOpen()).toBe(open);
  });

  if (kind === 'gitlab') {
    it('that is locked while it is merged is not closed yet', async () => {
      server.expect({ request: `GET ${path}`, body: JSON.stringify({ state: 'locked' }) });
      expect(await isOpen()).toBe(true);
    });
  }

  it('that does not exist is not open, if its repository is visible', async () => {
    server.expect({ request: `GET ${path}`, status: 404 }, { request: `GET ${at}`, body: '{}' });
    expect(await isOpen()).toBe(false);
  });

  it.each([
    ['a repository that is not visible', [404, 404], false],
    ['a host that has broken down', [500], true],
  ])('is not said to be closed by %s', async (_what, statuses, retry) => {
    const requests = [`GET ${path}`, `GET ${at}`];
    server.expect(...statuses.map((status, index) => ({ request: requests[index] ?? '', status })));
    await expect(isOpen()).rejects.toMatchObject({ code: 'deploy:repohost:no_pkg_json', retry });
  });
});
