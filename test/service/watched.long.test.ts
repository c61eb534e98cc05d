import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import { type FakeHost, fakeHost } from '../support/service/fake-host.ts';
import { application } from '../support/service/git-folder.ts';
import { WAIT_LIMIT_MS } from '../support/service/place.ts';
import { type Started, startEngineForTest } from '../support/service/started.ts';
import { commitTarball } from '../support/service/tarballs.ts';

describe('pull requests whose calls are lost', () => {
  let started: Started;
  let host: FakeHost;

  beforeAll(async () => {
    host = await fakeHost();
    started = await startEngineForTest('watched', {
      repositoryHosts: [{ name: 'fake', kind: 'github', api: host.url, web: host.url }],
      watchSeconds: 0.1,
      reconcileMinutes: 60,
    });
  });
  afterAll(async () => {
    await started.close();
    await host.close();
  });

  const patient = { timeout: WAIT_LIMIT_MS };
  const names = async (): Promise<string[]> =>
    (await started.call('/1/apps/demo')).body.apps.map(({ app }: { app: string }) => app);
  const newest = async (application = 'shop-pr-7') =>
    (await started.call(`/1/status/demo/webhooks/${application}?limit=1`)).body.rows?.[0];
  /** A commit of the application at the host, which answers with this text. */
  const commit = async (text: string) => {
    const files = application('shop', text);
    const { after } = host.push('shop', { files, tarball: await commitTarball(files) });
    return after;
  };
  const opened = async (number: number, text: string) => {
    const sha = await commit(text);
    host.pulls.set(number, { sha });
    const { body, headers } = githubPullRequest({
      action: 'opened',
      number,
      commit: { host: 'fake', owner: 'octo', name: 'shop', sha },
    });
    const told = JSON.stringify(body).replaceAll('https://memory.example.com', host.url);
    const answer = await started.hook(JSON.parse(told), headers, '?previews=true');
    return started.until(answer.body.id, 'ok', 'error', 'skipped');
  };

  it('are deployed, and removed when they are closed, but not by a host that refuses', async () => {
    const entry = await opened(7, 'first');
    expect(entry).toMatchObject({ status: 'ok', app_name: 'shop-pr-7' });
    host.pulls.set(7, { sha: await commit('second') });
    await expect.poll(async () => (await fetch(entry.url)).text(), patient).toBe('second');
    expect(await newest()).toMatchObject({ provider: 'reconciled', pull_request: 7 });
    host.pulls.set(8, { sha: await commit('other') });
    await expect.poll(names, patient).toContain('shop-pr-8');
    await started.until((await newest('shop-pr-8')).id, 'ok');
    const [before] = (await started.call('/1/status/demo/webhooks')).body.rows;
    host.refuses = 403;
    host.pulls.clear();
    await expect.poll(() => started.lines.join(), patient).toContain('pull requests not compared');
    expect((await started.call('/1/status/demo/webhooks')).body.rows[0].id).toBe(before.id);
    host.refuses = null;
    await expect.poll(names, patient).toEqual([]);
    expect(await newest()).toMatchObject({ operation: 'remove', provider: 'reconciled' });
    // Nothing is asked while there is no preview, apart from what was under way.
    const askedMeanwhile = async () => {
      const before = host.asked;
      await setTimeout(300);
      return host.asked - before;
    };
    await expect.poll(askedMeanwhile).toBe(0);
  });
});
