import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { numberOf } from '../../lib/client/entry.ts';
import { githubPush } from '../support/senders/github-push.ts';
import { application, entryAddress, type GitFolder } from '../support/service/git-folder.ts';
import { type ApiAnswer, repositories, type Started, startEngineForTest } from '../support/service/started.ts';
import { travisCall } from '../support/service/travis.ts';

const hooked = 'notifications:\n  webhooks: https://deploy.example.org/1/deploy\n';
const finals = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

describe('pushes that wait for CI', () => {
  let started: Started;
  const repository = repositories(() => started);

  /** Milliseconds that the service's clock is ahead. */
  let ahead = 0;

  beforeAll(async () => {
    started = await startEngineForTest('hold', { clock: { ...systemClock, now: () => Date.now() + ahead } });
  });
  afterAll(() => started.close());

  /** Pushes an application, with a `.travis.yml` or without; returns the commit and the address of the push's entry. */
  async function pushed(tree: GitFolder, name: string, travis: string | null = hooked, ref = 'main') {
    const sha = tree.commit({ ...application(name, name), '.travis.yml': travis });
    return { name, sha, entry: entryAddress(await tree.push(`main:${ref}`)) };
  }

  /** A push that is held by now. */
  async function held(name: string) {
    const push = await pushed(await repository(name), name);
    await started.until(push.entry, 'held', ...finals);
    return push;
  }

  /** Travis CI calls about a commit, with the fixture of that name. */
  function called(fixture: string, { name, sha }: { readonly name: string; readonly sha: string }) {
    const page = `${started.service.repoHost.url}/demo/${name}`;
    const { headers, body } = travisCall(fixture, { page, sha });
    return started.hook(body, headers);
  }

  /** GitHub's call about a push of a commit. */
  const payload = ({ name, sha }: { readonly name: string; readonly sha: string }) =>
    githubPush(started.service.repoHost.url, { owner: 'demo', name, sha });

  const badge = async (name: string): Promise<string> => {
    const { body } = await started.call(`/demo/${name}.svg`, { login: null });
    return /deployment: (\w+)/.exec(body)?.[1] ?? body;
  };
  const read = async (address: string) => (await started.call(`${address}?include_docs=true`)).body;
  const answering = async (url: string) => (await fetch(url)).text();
  /** The statuses that an entry has had, as the changes tell them. */
  const statuses = async (id: string): Promise<string[]> => {
    const { body } = await started.call('/1/status/demo/changes?feed=normal&since=0');
    const seen = body.results.flatMap((row: { id: string; status: string }) => (row.id === id ? [row.status] : []));
    return seen.filter((status: string, at: number) => status !== seen[at - 1]);
  };
  /** Returns the entry of an answer once its status is final. */
  const outcome = (answer: ApiAnswer) => started.until(answer.body.id, ...finals);

  describe('a held push', () => {
    it('a push is held when .travis.yml has a webhook', async () => {
      const push = await held('waiting');
      const entry = await read(push.entry);
      expect(entry).toMatchObject({ status: 'held', app_name: 'waiting', commit: `demo/waiting/${push.sha}` });
      expect(entry.doc).toMatchObject({ reason: expect.stringContaining('Travis CI'), finished_at: null, url: null });
      expect(await badge('waiting')).toBe('held');
      const page = await started.call('/1/status/demo/webhooks/waiting');
      expect(page.body.rows).toMatchObject([{ id: entry.id, status: 'held' }]);
    });

    it('a held push expires when CI does not call within an hour', async () => {
      const push = await held('forgotten');
      const letMinutesPass = async (minutes: number) => {
        ahead += minutes * 60_000;
        await started.service.engine.sweep();
      };
      await letMinutesPass(59);
      const { status, expires_at } = await read(push.entry);
      expect([status, Date.parse(expires_at) - Date.now() < 61 * 60_000]).toEqual(['held', true]);
      await letMinutesPass(2);
      const entry = await read(push.entry);
      expect(entry).toMatchObject({ status: 'expired', doc: { reason: expect.stringContaining('60 minutes') } });
      expect(entry.doc.finished_at).not.toBeNull();
    });
  });

  describe('the end of a hold without CI', () => {
    it('a held push deploys when its user releases it', async () => {
      const push = await held('by-hand');
      const answer = await started.call(`${push.entry}/release`, { method: 'POST' });
      expect(answer).toMatchObject({ status: 202, body: { id: push.entry, status: 'running' } });
      expect(await started.until(push.entry, ...finals)).toMatchObject({ status: 'ok', app_name: 'by-hand' });
      const again = await started.call(`${push.entry}/release`, { method: 'POST' });
      expect(again).toMatchObject({ status: 200, body: { status: 'ok' } });
    });

    it('a held push is superseded when its commit goes live by a hook that does not wait', async () => {
      const push = await held('other-way');
      const answer = await started.hook(payload(push), { 'x-github-event': 'push' }, '?branch=main&ci=ignore');
      expect(await outcome(answer)).toMatchObject({ status: 'ok' });
      const entry = await read(push.entry);
      const page = `/#/demo/deploys/${answer.body.id.split('/').at(-1)}`;
      expect(entry).toMatchObject({ status: 'superseded', reason: expect.stringContaining(page) });
      expect(await badge('other-way')).toBe('ok');
    });
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
    const entry = await started.until(push.entry, ...finals);
    expect(entry).toMatchObject({ status: 'ok', provider: 'git', app_name: 'released' });
    expect(await answering(entry.doc.url)).toBe('released');
    expect(await badge('released')).toBe('ok');
    expect(await statuses(entry.id)).toEqual(['queued', 'running', 'held', 'running', 'ok']);
    const skipped = { status: 'skipped', doc: { reason: expect.stringContaining(`#${numberOf(entry)}.`) } };
    expect(await outcome(answer)).toMatchObject(skipped);
    expect(await outcome(await called('passed', push))).toMatchObject(skipped);
    expect(await read(push.entry)).toMatchObject({ status: 'ok', seq: entry.seq });
  });

  it('a held push is skipped by a failed build of its commit, and its entry says so', async () => {
    const push = await held('refused');
    expect(await called('failed', push)).toMatchObject({ status: 200, body: { status: 'skipped' } });
    expect(await started.until(push.entry, ...finals)).toMatchObject({
      status: 'skipped',
      doc: { reason: expect.stringMatching(/^CI did not pass/), url: null },
    });
  });
});
