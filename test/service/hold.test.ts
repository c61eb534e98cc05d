import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { application, entryAddress, type GitFolder, gitFolder } from '../support/service/git-folder.ts';
import { type ApiAnswer, type Started, startEngineForTest } from '../support/service/started.ts';
import { travisCall } from '../support/service/travis.ts';

const hooked = 'notifications:\n  webhooks: https://deploy.example.org/1/deploy\n';
const finals = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

describe('pushes that wait for CI', () => {
  let started: Started;
  const folders: GitFolder[] = [];

  /** Milliseconds that the service's clock is ahead. */
  let ahead = 0;

  beforeAll(async () => {
    started = await startEngineForTest('hold', { clock: { ...systemClock, now: () => Date.now() + ahead } });
  });
  afterAll(async () => {
    for (const folder of folders) folder.remove();
    await started.close();
  });

  async function repository(name: string): Promise<GitFolder> {
    const { repoHost } = started.service;
    await repoHost.createRepository('demo', name);
    const folder = gitFolder(repoHost.repositoryPath('demo', name));
    folders.push(folder);
    return folder;
  }

  /** Pushes an application with that `.travis.yml`; returns the commit and the address of the push's entry. */
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
    it.each([
      ['a string', hooked],
      ['a list', 'notifications:\n  webhooks:\n    - https://one.example.org/\n    - https://two.example.org/\n'],
      ['a map', 'notifications:\n  webhooks:\n    urls: [https://deploy.example.org/]\n    on_failure: never\n'],
      ['a secret', 'notifications:\n  webhooks:\n    secure: "bm90IGZvciB5b3VyIGV5ZXM="\n'],
    ])('a push is held when the webhook in .travis.yml is %s', async (form, travis) => {
      const name = `held-by-${form.replaceAll(' ', '-')}`;
      const push = await pushed(await repository(name), name, travis);
      const entry = await started.until(push.entry, 'held', ...finals);
      expect(entry).toMatchObject({ status: 'held', app_name: name, commit: `demo/${name}/${push.sha}` });
      expect(entry.doc).toMatchObject({ reason: expect.stringContaining('Travis CI'), finished_at: null, url: null });
      expect(await badge(name)).toBe('held');
      const page = await started.call(`/1/status/demo/webhooks/${name}`);
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

  describe('a push that is not held', () => {
    it('a push is not held when .travis.yml has no webhooks', async () => {
      const push = await pushed(await repository('free'), 'free', 'language: node_js\n');
      expect(await started.until(push.entry, 'held', ...finals)).toMatchObject({ status: 'ok' });
    });

    it('a push is not held when the webhooks are never called on success, and its entry says so', async () => {
      const never = 'notifications:\n  webhooks:\n    urls: https://deploy.example.org/\n    on_success: never\n';
      const push = await pushed(await repository('never'), 'never', never);
      const entry = await started.until(push.entry, 'held', ...finals);
      expect(entry.status).toBe('ok');
      expect(entry.doc.stages[0]).toMatchObject({
        name: 'check',
        detail: expect.stringContaining('on_success: never'),
      });
    });

    it('a push fails when its .travis.yml cannot be parsed, and the error names file and line', async () => {
      const push = await pushed(await repository('unreadable'), 'unreadable', 'language: node_js\nnotifications: [\n');
      const entry = await started.until(push.entry, 'held', ...finals);
      expect(entry).toMatchObject({ status: 'error', app_name: 'unreadable' });
      expect(entry.error.detail).toMatch(/\.travis\.yml .*line \d/);
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
      const repository = { name: push.name, owner: { login: 'demo' }, full_name: `demo/${push.name}` };
      const payload = {
        ref: 'refs/heads/main',
        after: push.sha,
        before: '0'.repeat(40),
        repository: { ...repository, html_url: `${started.service.repoHost.url}/demo/${push.name}` },
      };
      const answer = await started.hook(payload, { 'x-github-event': 'push' }, '?branch=main&ci=ignore');
      expect(await outcome(answer)).toMatchObject({ status: 'ok' });
      const entry = await read(push.entry);
      const page = `/#/demo/deploys/${answer.body.id.split('/').at(-1)}`;
      expect(entry).toMatchObject({ status: 'superseded', reason: expect.stringContaining(page) });
      expect(await badge('other-way')).toBe('ok');
    });
  });

  describe('the release of a held push', () => {
    it.each(['passed', '2012-passed'])(
      'a held push is released by the passed build of the fixture %s',
      async (fixture) => {
        const push = await held(`released-${fixture}`);
        const answer = await called(fixture, push);
        expect(answer).toMatchObject({
          status: 202,
          body: { provider: 'travis', commit: `demo/${push.name}/${push.sha}` },
        });
        const entry = await started.until(push.entry, ...finals);
        expect(entry).toMatchObject({ status: 'ok', provider: 'github', app_name: push.name });
        expect(await answering(entry.doc.url)).toBe(push.name);
        expect(await badge(push.name)).toBe('ok');
        expect(await statuses(entry.id)).toEqual(['queued', 'running', 'held', 'running', 'ok']);
        expect(await outcome(answer)).toMatchObject({
          status: 'skipped',
          doc: { reason: expect.stringContaining(push.entry) },
        });
      },
    );

    it('a held push is released only once: a second passed build of the commit is a duplicate', async () => {
      const push = await held('twice');
      await called('passed', push);
      const entry = await started.until(push.entry, ...finals);
      const again = await outcome(await called('passed', push));
      expect(again).toMatchObject({ status: 'skipped', doc: { reason: expect.stringContaining(push.entry) } });
      expect(await read(push.entry)).toMatchObject({ status: 'ok', seq: entry.seq });
    });

    it('a held push is not released by the build of a pull request or by one that has only started', async () => {
      const push = await held('patient');
      for (const fixture of ['pull-request', 'started']) {
        const answer = await called(fixture, push);
        expect(answer).toMatchObject({ status: 200, body: { status: 'skipped' } });
        expect(await read(push.entry)).toMatchObject({ status: 'held' });
      }
    });
  });

  it.each(['failed', 'canceled', '2012-failed'])(
    'a held push is skipped by the build of the fixture %s, and its entry says so',
    async (fixture) => {
      const push = await held(`refused-${fixture}`);
      const answer = await called(fixture, push);
      expect(answer).toMatchObject({ status: 200, body: { status: 'skipped' } });
      expect(await started.until(push.entry, ...finals)).toMatchObject({
        status: 'skipped',
        doc: { reason: expect.stringMatching(/^CI did not pass/), url: null },
      });
    },
  );

  describe('a push that arrives after its build', () => {
    it('a push is a duplicate when its passed build arrived first and deployed the commit', async () => {
      const tree = await repository('early');
      const { sha } = await pushed(tree, 'early', hooked, 'refs/tags/tested');
      const built = await outcome(await called('passed', { name: 'early', sha }));
      expect(built).toMatchObject({ status: 'ok', provider: 'travis', app_name: 'early' });
      expect(await answering(built.doc.url)).toBe('early');
      const push = await started.until(entryAddress(await tree.push('main')), 'held', ...finals);
      expect(push).toMatchObject({ status: 'skipped', doc: { reason: expect.stringContaining(built.id) } });
    });

    it('a push is skipped when its failed build arrived first', async () => {
      const tree = await repository('doomed');
      const { sha } = await pushed(tree, 'doomed', hooked, 'refs/tags/tested');
      await called('failed', { name: 'doomed', sha });
      const push = await started.until(entryAddress(await tree.push('main')), 'held', ...finals);
      expect(push).toMatchObject({ status: 'skipped', doc: { reason: expect.stringMatching(/^CI did not pass/) } });
    });
  });

  describe('a push held without a CI file', () => {
    /** GitHub calls the hook about a push, and about a run of a workflow. */
    const github = (event: string, name: string, body: object, query?: string) => {
      const html_url = `${started.service.repoHost.url}/demo/${name}`;
      const repository = { name, full_name: `demo/${name}`, owner: { login: 'demo' }, html_url, private: false };
      return started.hook({ ...body, repository }, { 'x-github-event': event }, query);
    };
    const moved = (sha: string) => ({ ref: 'refs/heads/main', before: '0'.repeat(40), after: sha });
    const run = (check: string, sha: string, conclusion: string | null) => ({
      action: conclusion === null ? 'in_progress' : 'completed',
      workflow_run: { head_sha: sha, head_branch: 'main', event: 'push', name: check, conclusion },
    });

    it("a push is held by the hook's address until CI calls", async () => {
      const { sha } = await pushed(await repository('wished'), 'wished', null, 'elsewhere');
      const push = await github('push', 'wished', moved(sha), '?branch=main&ci=wait');
      expect(await started.until(push.body.id, 'held', ...finals)).toMatchObject({
        status: 'held',
        doc: { reason: expect.stringContaining('ci=wait') },
      });
      await github('workflow_run', 'wished', run('build', sha, 'success'));
      expect(await started.until(push.body.id, ...finals)).toMatchObject({ status: 'ok' });
    });

    it('a push is held by a CI provider that has called before, until all its checks have passed', async () => {
      const tree = await repository('checked');
      const first = await pushed(tree, 'checked', null, 'elsewhere');
      await outcome(await github('workflow_run', 'checked', run('unit', first.sha, 'success')));
      const { sha } = await pushed(tree, 'checked', '# no notifications\n', 'elsewhere');
      const push = await github('push', 'checked', moved(sha));
      await started.until(push.body.id, 'held', ...finals);
      await github('workflow_run', 'checked', run('lint', sha, null));
      const early = await outcome(await github('workflow_run', 'checked', run('unit', sha, 'success')));
      expect(early).toMatchObject({ status: 'skipped', doc: { reason: expect.stringContaining('"lint"') } });
      expect(await read(push.body.id)).toMatchObject({ status: 'held' });
      await github('workflow_run', 'checked', run('lint', sha, 'skipped'));
      expect(await started.until(push.body.id, ...finals)).toMatchObject({ status: 'ok' });
    });
  });

  it('a newer push that has passed is not replaced by an older one that passes later', async () => {
    const tree = await repository('order');
    const older = await pushed(tree, 'order');
    const newer = await pushed(tree, 'order', `${hooked}# once more\n`);
    for (const { entry } of [older, newer]) await started.until(entry, 'held', ...finals);
    await called('passed', newer);
    expect(await started.until(newer.entry, ...finals)).toMatchObject({ status: 'ok' });
    await called('passed', older);
    expect(await started.until(older.entry, ...finals)).toMatchObject({ status: 'superseded' });
  });

  describe('repeated deliveries', () => {
    const payload = (name: string, sha: string) => ({
      ref: 'refs/heads/main',
      before: '0'.repeat(40),
      after: sha,
      repository: { name, owner: { login: 'demo' }, html_url: `${started.service.repoHost.url}/demo/${name}` },
    });
    const delivery = (id: string) => ({ 'x-github-event': 'push', 'x-github-delivery': id });

    it('a repeated delivery is a duplicate of the one that deployed', async () => {
      const { sha } = await pushed(await repository('again'), 'again', null, 'elsewhere');
      const first = await outcome(await started.hook(payload('again', sha), delivery('again-1')));
      expect(first.status).toBe('ok');
      const second = await started.hook(payload('again', sha), delivery('again-1'));
      expect(second).toMatchObject({ status: 200, body: { status: 'duplicate' } });
      expect((await read(second.body.id)).doc.reason).toContain(first.id);
    });

    it('a repeated delivery deploys when the first one has failed', async () => {
      const tree = await repository('retried');
      const sha = tree.commit(application('retried', 'retried'));
      const first = await outcome(await started.hook(payload('retried', sha), delivery('retried-1')));
      expect(first).toMatchObject({ status: 'error', error: { code: 'deploy:repohost:no_pkg_json' } });
      await tree.push('main:elsewhere');
      const second = await outcome(await started.hook(payload('retried', sha), delivery('retried-1')));
      expect(second).toMatchObject({ status: 'ok', app_name: 'retried' });
      const third = await started.hook(payload('retried', sha), delivery('retried-1'));
      expect(third).toMatchObject({ status: 200, body: { status: 'duplicate' } });
    });
  });
});
