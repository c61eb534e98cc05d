import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { numberOf } from '../../lib/client/entry.ts';
import { application, entryAddress } from '../support/service/git-folder.ts';
import { type ApiAnswer, repositories, type Started, startEngineForTest } from '../support/service/started.ts';
import { travisCall } from '../support/service/travis.ts';

const hooked = 'notifications:\n  webhooks: https://deploy.example.org/1/deploy\n';
const finals = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

interface Push {
  readonly name: string;
  readonly sha: string;
  readonly entry: string;
}

describe('pushes that wait for CI', () => {
  let started: Started;
  const repository = repositories(() => started);
  beforeAll(async () => {
    started = await startEngineForTest('hold');
  });
  afterAll(() => started.close());

  /** A push that is held by now. */
  const held = async (name: string): Promise<Push> => {
    const tree = await repository(name);
    const sha = tree.commit({ ...application(name, name), '.travis.yml': hooked });
    const entry = entryAddress(await tree.push('main:main'));
    await started.until(entry, 'held', ...finals);
    return { name, sha, entry };
  };
  /** Travis CI calls about a commit, with the fixture of that name. */
  const called = (fixture: string, { name, sha }: Push) => {
    const { headers, body } = travisCall(fixture, { page: `${started.service.repoHost.url}/demo/${name}`, sha });
    return started.hook(body, headers);
  };
  const badge = async (name: string): Promise<string> => {
    const { body } = await started.call(`/demo/${name}.svg`, { login: null });
    return /deployment: (\w+)/.exec(body)?.[1] ?? body;
  };
  const read = async (address: string) => (await started.call(`${address}?include_docs=true`)).body;
  /** Returns the entry of an answer once its status is final. */
  const outcome = (answer: ApiAnswer) => started.until(answer.body.id, ...finals);
  /** The statuses that an entry has had, as the changes tell them. */
  const statuses = async (id: string): Promise<string[]> => {
    const { body } = await started.call('/1/status/demo/changes?feed=normal&since=0');
    const seen = body.results.flatMap((row: { id: string; status: string }) => (row.id === id ? [row.status] : []));
    return seen.filter((status: string, at: number) => status !== seen[at - 1]);
  };

  it('a push is held when .travis.yml has a webhook', async () => {
    const push = await held('waiting');
    const entry = await read(push.entry);
    expect(entry).toMatchObject({ status: 'held', app_name: 'waiting', commit: `demo/waiting/${push.sha}` });
    expect(entry.doc).toMatchObject({ reason: expect.stringContaining('Travis CI'), finished_at: null, url: null });
    expect(await badge('waiting')).toBe('held');
    const page = await started.call('/1/status/demo/webhooks/waiting');
    expect(page.body.rows).toMatchObject([{ id: entry.id, status: 'held' }]);
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
    expect(await (await fetch(entry.doc.url)).text()).toBe('released');
    expect(await badge('released')).toBe('ok');
    expect(await statuses(entry.id)).toEqual(['queued', 'running', 'held', 'running', 'ok']);
    const skipped = { status: 'skipped', doc: { reason: expect.stringContaining(`#${numberOf(entry)}.`) } };
    expect(await outcome(answer)).toMatchObject(skipped);
    expect(await outcome(await called('passed', push))).toMatchObject(skipped);
    expect(await read(push.entry)).toMatchObject({ status: 'ok', seq: entry.seq });
  });
});
