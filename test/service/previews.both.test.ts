import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import { ENDED, pullRequests } from '../support/service/pull-requests.ts';
import { isStack, type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

describe('the preview of a pull request', () => {
  let started: Started<ServiceUnderTest>;
  const opened = pullRequests(() => started);

  beforeAll(async () => {
    started = await startForTest('previews');
  });
  afterAll(() => started.close());

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
