import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { application, entryAddress } from '../support/service/git-folder.ts';
import { repositories, type Started, startEngineForTest } from '../support/service/started.ts';

describe('what happens outside of a deploy', () => {
  let started: Started;
  const repository = repositories(() => started);
  const incidents = async () => {
    const { body } = await started.call('/1/status/demo/webhooks?include_docs=true');
    return body.rows.filter((row: { operation?: string }) => row.operation === 'incident');
  };

  beforeAll(async () => {
    started = await startEngineForTest('incidents', { reconcileMinutes: 0 });
  });
  afterAll(async () => {
    await started.close();
  });

  it('is a row of the log: a job that fails, with the commit that is live', async () => {
    const tree = await repository('shop');
    const cron = [{ command: 'node -e "process.exit(4)"', schedule: '* * * * * *' }];
    const sha = tree.commit({ ...application('shop', 'up'), 'app.json': JSON.stringify({ cron }) });
    await started.until(entryAddress(await tree.push()), 'ok', 'error');
    await expect.poll(incidents, { timeout: 10_000 }).toMatchObject([
      {
        status: 'crashed',
        app_name: 'shop',
        provider: 'service',
        commit: `demo/shop/${sha}`,
        reason: 'The job "node -e \\"process.exit(4)\\"" (* * * * * *) exited with code 4.',
      },
    ]);
  });

  it('is one row also of no application, which is ok when it is over', async () => {
    const { platform } = started.service;
    // Nothing that the service looks at itself: it could end this incident meanwhile.
    const about = 'The lamp of the test';
    const lamp = { user: 'demo', about, state: 'crashed', reason: `${about} is off.` } as const;
    for (let times = 0; times < 3; times += 1) await platform.tell(lamp);
    const failing = { status: 'crashed', app_name: null, reason: lamp.reason };
    await expect.poll(async () => (await incidents())[0]).toMatchObject(failing);
    await platform.tell({ ...lamp, state: 'running', reason: `${about} is on again.` });
    await expect.poll(async () => (await incidents())[0]).toMatchObject({ status: 'ok', app_name: null });
    expect(await incidents()).toHaveLength(2);
  });
});
