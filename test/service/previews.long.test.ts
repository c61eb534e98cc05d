import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENDED, pullRequests } from '../support/service/pull-requests.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';
import { travisCall } from '../support/service/travis.ts';

describe('the preview of a pull request that waits', () => {
  let started: Started;
  const opened = pullRequests(() => started);
  const answering = async (url: string) => (await fetch(url)).text();

  beforeAll(async () => {
    started = await startEngineForTest('previewed');
  });
  afterAll(() => started.close());

  it('of a fork is held until its user releases it', async () => {
    const { hear, app } = await opened('blog');
    const held = await hear({ action: 'opened', fromFork: true });
    expect(held).toMatchObject({ status: 'held', app_name: app, reason: expect.stringContaining('is from a fork') });
    expect((await started.call(`${held.id}/release`, { method: 'POST' })).status).toBe(202);
    const entry = await started.until(held.id, ...ENDED);
    expect(entry).toMatchObject({ status: 'ok', app_name: app });
    expect(await answering(entry.url)).toBe('preview');
  });

  it('waits for CI with previews=ci, and is released by a passed build of its pull request, which deploys nothing else', async () => {
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
  });
});
