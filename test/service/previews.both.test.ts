import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPullRequest, type PullRequestCall } from '../support/senders/pull-requests.ts';
import { application, entryAddress } from '../support/service/git-folder.ts';
import {
  isStack,
  repositories,
  type ServiceUnderTest,
  type Started,
  startForTest,
} from '../support/service/started.ts';
import { travisCall } from '../support/service/travis.ts';

const ENDED = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

describe('the preview of a pull request', () => {
  let started: Started<ServiceUnderTest>;
  const repository = repositories(() => started);

  beforeAll(async () => {
    started = await startForTest('previews');
  });
  afterAll(() => started.close());

  /** A repository whose application is live, with a pull request of one commit. */
  async function opened(name: string) {
    const tree = await repository(name);
    tree.commit(application(name, 'parent'));
    await started.until(entryAddress(await tree.push('main:main')), ...ENDED);
    const sha = tree.commit(application(name, 'preview'));
    await tree.push('main:changes');
    const commit = { host: 'local', owner: 'demo', name, sha };
    const page = `${started.service.repoHost.url}/demo/${name}`;
    type Said = Partial<PullRequestCall> & Pick<PullRequestCall, 'action'>;
    const tell = async (said: Said, query = '?previews=true') => {
      const { body, headers } = githubPullRequest({ number: 7, commit, ...said });
      const told = JSON.stringify(body).replaceAll(`https://memory.example.com/demo/${name}`, page);
      return started.hook(JSON.parse(told), headers, query);
    };
    const hear = async (said: Said, query?: string) =>
      started.until((await tell(said, query)).body.id, ...ENDED, 'held');
    return { tell, hear, app: `${name}-pr-7`, page, sha };
  }

  const names = async (): Promise<string[]> =>
    (await started.call('/1/apps/demo')).body.apps.map(({ app }: { app: string }) => app);
  const answering = async (url: string) => (await fetch(url)).text();

  it('answers at an address of its own beside its parent, with the variables that are marked, until it is closed', async () => {
    const { hear, app } = await opened('shop');
    await started.call('/1/apps/demo/shop/env?previews=true&restart=false', {
      method: 'PATCH',
      body: JSON.stringify({ MARKED: 'for previews' }),
    });
    await started.call('/1/apps/demo/shop/env?restart=false', { method: 'PATCH', body: '{"SECRET":"for the parent"}' });
    const entry = await hear({ action: 'opened' });
    expect(entry).toMatchObject({ status: 'ok', app_name: app, pull_request: 7, preview_of: 'shop' });
    expect(await answering(entry.url)).toBe('preview');
    const { body: running } = await started.call(`/1/apps/demo/${app}/processes`);
    if (!isStack) expect(running.scale).toEqual({ web: 'auto' });
    expect(await names()).toEqual(expect.arrayContaining(['shop', app]));
    const env = await started.call(`/1/apps/demo/${app}/env?values=true`);
    expect(env.body.env).toEqual({ MARKED: 'for previews', PREVIEW_VARIABLES: 'MARKED' });
    const closed = await hear({ action: 'closed' });
    expect(closed).toMatchObject({ status: 'skipped', reason: expect.stringContaining('its preview is removed by #') });
    const { body } = await started.call(`/1/status/demo/webhooks/${app}`);
    await started.until(body.rows[0].id, ...ENDED);
    expect(body.rows[0]).toMatchObject({ operation: 'remove', app_name: app });
    expect(await names()).not.toContain(app);
    expect((await started.call(`/1/apps/demo/${app}/settings`)).status).toBe(404);
    expect(await names()).toContain('shop');
  });

  // From here on the stack runs the same code.
  it.skipIf(isStack)('of a fork is held until its user releases it', async () => {
    const { hear, app } = await opened('blog');
    const held = await hear({ action: 'opened', fromFork: true });
    expect(held).toMatchObject({ status: 'held', app_name: app, reason: expect.stringContaining('is from a fork') });
    expect((await started.call(`${held.id}/release`, { method: 'POST' })).status).toBe(202);
    const entry = await started.until(held.id, ...ENDED);
    expect(entry).toMatchObject({ status: 'ok', app_name: app });
    expect(await answering(entry.url)).toBe('preview');
  });

  it.skipIf(isStack)(
    'waits for CI with previews=ci, and is released by a passed build of its pull request, which deploys nothing else',
    async () => {
      const { hear, app, page, sha } = await opened('tested');
      const held = await hear({ action: 'opened' }, '?previews=ci');
      expect(held).toMatchObject({ status: 'held', app_name: app, reason: expect.stringContaining('previews=ci') });
      const merge = '9'.repeat(40);
      const { headers, body } = travisCall('pull-request', { page, sha: merge });
      const built = await started.hook(body.replace('d'.repeat(40), sha), headers);
      expect(built).toMatchObject({ status: 200, body: { status: 'skipped' } });
      const entry = await started.until(held.id, ...ENDED);
      expect(entry).toMatchObject({ status: 'ok', app_name: app });
      expect(await answering(entry.url)).toBe('preview');
      const parent = await started.call('/1/apps/demo/tested');
      expect(await answering(parent.body.url)).toBe('parent');
    },
  );

  it('leaves nothing behind when it is closed while it is deployed', async () => {
    const { tell, hear, app } = await opened('wiki');
    expect((await tell({ action: 'opened' })).body).toMatchObject({ status: 'queued', pull_request: 7 });
    expect(await hear({ action: 'closed' })).toMatchObject({ status: 'skipped' });
    const { body } = await started.call('/1/status/demo/webhooks?limit=100');
    for (const row of body.rows) await started.until(row.id, ...ENDED);
    expect(await names()).not.toContain(app);
  });

  it('of a webhook that does not ask for previews is skipped with a sentence, as ever', async () => {
    const { body, headers } = githubPullRequest({
      action: 'opened',
      number: 7,
      commit: { host: 'local', owner: 'demo', name: 'none', sha: 'a'.repeat(40) },
    });
    const answer = await started.hook(body, headers);
    expect(answer.body).toMatchObject({
      status: 'skipped',
      reason: expect.stringContaining('pull_request deploys nothing'),
    });
    expect(answer.body).not.toHaveProperty('pull_request');
  });
});
