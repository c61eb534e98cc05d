import { describe, expect, it } from 'vitest';
import { numberOf } from '../../lib/client/entry.ts';
import { finals, holds } from '../support/service/holds.ts';

// `hold.long.test.ts` has the other ends of a hold.
describe('pushes that wait for CI', () => {
  const { started, held, called, badge, read, outcome } = holds('hold');

  /** The statuses that an entry has had, as the changes tell them. */
  const statuses = async (id: string): Promise<string[]> => {
    const { body } = await started().call('/1/status/demo/changes?feed=normal&since=0');
    const seen = body.results.flatMap((row: { id: string; status: string }) => (row.id === id ? [row.status] : []));
    return seen.filter((status: string, at: number) => status !== seen[at - 1]);
  };

  it('a push is held when .travis.yml has a webhook', async () => {
    const push = await held('waiting');
    const entry = await read(push.entry);
    expect(entry).toMatchObject({ status: 'held', app_name: 'waiting', commit: `demo/waiting/${push.sha}` });
    expect(entry.doc).toMatchObject({ reason: expect.stringContaining('Travis CI'), finished_at: null, url: null });
    expect(await badge('waiting')).toBe('held');
    const page = await started().call('/1/status/demo/webhooks/waiting');
    expect(page.body.rows).toMatchObject([{ id: entry.id, status: 'held' }]);
  });

  it('a held push deploys when its user releases it', async () => {
    const push = await held('by-hand');
    const answer = await started().call(`${push.entry}/release`, { method: 'POST' });
    expect(answer).toMatchObject({ status: 202, body: { id: push.entry, status: 'running' } });
    expect(await started().until(push.entry, ...finals)).toMatchObject({ status: 'ok', app_name: 'by-hand' });
    const again = await started().call(`${push.entry}/release`, { method: 'POST' });
    expect(again).toMatchObject({ status: 200, body: { status: 'ok' } });
  });

  it('a held push is released by a passed build of its commit, once, and by nothing else', async () => {
    const push = await held('released');
    for (const fixture of ['pull-request', 'started']) {
      expect(await called(fixture, push)).toMatchObject({ status: 200, body: { status: 'skipped' } });
      expect(await read(push.entry)).toMatchObject({ status: 'held' });
    }
    const answer = await called('passed', push);
    expect(answer).toMatchObject({
      status: 202,
      body: { provider: 'travis', commit: `demo/released/${push.sha}` },
    });
    const entry = await started().until(push.entry, ...finals);
    expect(entry).toMatchObject({ status: 'ok', provider: 'git', app_name: 'released' });
    expect(await (await fetch(entry.doc.url)).text()).toBe('released');
    expect(await badge('released')).toBe('ok');
    expect(await statuses(entry.id)).toEqual(['queued', 'running', 'held', 'running', 'ok']);
    const skipped = { status: 'skipped', doc: { reason: expect.stringContaining(`#${numberOf(entry)}.`) } };
    expect(await outcome(answer)).toMatchObject(skipped);
    expect(await outcome(await called('passed', push))).toMatchObject(skipped);
    expect(await read(push.entry)).toMatchObject({ status: 'ok', seq: entry.seq });
  });
});
