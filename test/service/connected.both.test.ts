import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import { type FakeHost, fakeHost } from '../support/service/fake-host.ts';
import { application } from '../support/service/git-folder.ts';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';
import { commitTarball } from '../support/service/tarballs.ts';

const LIMIT = { timeout: 30_000 };

describe('a repository of another host', () => {
  let started: Started<ServiceUnderTest>;
  let host: FakeHost;

  beforeAll(async () => {
    host = await fakeHost();
    const repositoryHosts = [{ name: 'fake', kind: 'github' as const, api: host.url, web: host.url }];
    started = await startForTest('connected', { repositoryHosts });
  });
  afterAll(async () => {
    await started?.close();
    await host?.close();
  });

  const push = async (text: string) => {
    const files = application('shop', text);
    return host.push('shop', { files, tarball: await commitTarball(files) });
  };
  const connect = (repository: object, more: object = {}) =>
    started.call('/1/apps/demo', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ repository, ...more }),
    });

  it('that was there before the service is deployed without a call, and by its pushes from then on', async () => {
    const { after: sha } = await push('first');
    const { status, body } = await connect({ host: 'fake', owner: 'octo', name: 'shop' });
    expect(status).toBe(202);
    const entry = await started.until(body.id, 'ok', 'error');
    expect(entry).toMatchObject({ status: 'ok', app_name: 'shop', commit: `octo/shop/${sha}` });
    expect(await (await fetch(entry.url)).text()).toBe('first');

    const answer = await started.hook(await push('second'), { 'x-github-event': 'push' });
    expect(await started.until(answer.body.id, 'ok', 'error', 'skipped')).toMatchObject({ status: 'ok' });
    expect(await (await fetch(entry.url)).text()).toBe('second');
    const app = (await started.call('/1/apps/demo/shop')).body;
    expect(app).toMatchObject({ branch: 'main', repository: { host: 'fake', owner: 'octo', name: 'shop' } });
  });

  it('is refused with what is wrong, and leaves no entry', async () => {
    const before = (await started.call('/1/status/demo/webhooks')).body.total;
    const unknown = await connect({ host: 'elsewhere', owner: 'octo', name: 'shop' });
    expect([unknown.status, unknown.body.code]).toEqual([502, 'deploy:repohost:no_pkg_json']);
    const empty = await connect({ host: 'fake', owner: 'octo', name: 'empty' });
    expect([empty.status, empty.body.detail]).toEqual([400, 'octo/empty has no branch main with a commit.']);
    expect((await connect({}, { branch: 'next' })).status).toBe(400);
    expect((await started.call('/1/status/demo/webhooks')).body.total).toBe(before);
  });

  it('tells a pull request of its preview by a commit status that leads to it', async () => {
    const files = application('blog', 'preview');
    const { after: sha } = host.push('blog', { files, tarball: await commitTarball(files) });
    const paired = await started.call('/1/auth/fake', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"credentials":"octo:a-token"}',
    });
    expect(paired.body).toMatchObject({ login: 'octo' });
    const hear = async (action: string) => {
      const commit = { host: 'fake', owner: 'octo', name: 'blog', sha };
      const { body, headers } = githubPullRequest({ action, number: 7, commit });
      const told = JSON.stringify(body).replaceAll('https://memory.example.com', host.url);
      const answer = await started.hook(JSON.parse(told), headers, '?previews=true');
      return started.until(answer.body.id, 'ok', 'error', 'skipped');
    };
    host.pulls.set(7, { sha });
    const entry = await hear('opened');
    expect(entry).toMatchObject({ status: 'ok', app_name: 'blog-pr-7' });
    const status = { context: 'deployment-webhooks/blog-pr-7', state: 'success', target_url: entry.url };
    await expect.poll(() => host.statuses.at(-1), LIMIT).toMatchObject(status);

    host.pulls.delete(7);
    await hear('closed');
    expect(started.lines.filter((line) => /not (set|reported)/.test(line))).toEqual([]);
  });
});
