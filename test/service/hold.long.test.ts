import { describe, expect, it } from 'vitest';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import { application } from '../support/service/git-folder.ts';
import { finals, holds } from '../support/service/holds.ts';

describe('pushes that wait for CI', () => {
  /** Milliseconds that the service's clock is ahead. */
  let ahead = 0;
  const { started, repository, pushed, held, called, payload, badge, read, outcome } = holds('waits', {
    clock: { ...systemClock, now: () => Date.now() + ahead },
  });

  it.each([
    ['its address', (name: string) => `${started().service.repoHost.url}/demo/${name}`],
    ['its name', (name: string) => `demo/${name}`],
  ])(
    'a held push of another default branch is released by any CI that names the repository by %s',
    async (how, named) => {
      const name = how.replaceAll(' ', '-');
      const { sha, entry } = await pushed(await repository(name), name, undefined, 'trunk');
      await started().until(entry, 'held', ...finals);
      const answer = await started().hook(
        { commit: sha, branch: 'trunk', repository: named(name), state: 'success' },
        {},
        '',
      );
      expect(answer).toMatchObject({ status: 202, body: { provider: 'ci' } });
      expect(await started().until(entry, ...finals)).toMatchObject({ status: 'ok', app_name: name });
    },
  );

  describe('a push held without a CI file', () => {
    it("a push is held by the hook's address until CI calls", async () => {
      const commit = await pushed(await repository('wished'), 'wished', null, 'elsewhere');
      // Beside the application that follows the branch which was pushed.
      const query = '?branch=main&ci=wait&environment=main';
      const push = await started().hook(payload(commit), { 'x-github-event': 'push' }, query);
      expect(await started().until(push.body.id, 'held', ...finals)).toMatchObject({
        status: 'held',
        doc: { reason: expect.stringContaining('ci=wait') },
      });
      const run = { head_sha: commit.sha, head_branch: 'main', event: 'push', name: 'build', conclusion: 'success' };
      const build = { action: 'completed', workflow_run: run, repository: payload(commit).repository };
      await started().hook(build, { 'x-github-event': 'workflow_run' }, query);
      expect(await started().until(push.body.id, ...finals)).toMatchObject({ status: 'ok' });
    });
  });

  describe('repeated deliveries', () => {
    const delivery = (id: string) => ({ 'x-github-event': 'push', 'x-github-delivery': id });

    it('a repeated delivery deploys when the first one has failed', async () => {
      const tree = await repository('retried');
      const sha = tree.commit(application('retried', 'retried'));
      // The service itself does not call about that branch.
      const push = { ...payload({ name: 'retried', sha }), ref: 'refs/heads/elsewhere' };
      const deliver = () => started().hook(push, delivery('retried-1'), '?branch=elsewhere');
      const first = await outcome(await deliver());
      expect(first).toMatchObject({ status: 'error', error: { code: 'deploy:repohost:no_pkg_json' } });
      await tree.push('main:elsewhere');
      const second = await outcome(await deliver());
      expect(second).toMatchObject({ status: 'ok', app_name: 'retried' });
      const third = await deliver();
      expect(third).toMatchObject({ status: 200, body: { status: 'duplicate' } });
    });
  });

  it('a held push expires when CI does not call within an hour', async () => {
    const push = await held('forgotten');
    const letMinutesPass = async (minutes: number) => {
      ahead += minutes * 60_000;
      await started().service.engine.sweep();
    };
    await letMinutesPass(59);
    const { status, expires_at } = await read(push.entry);
    expect([status, Date.parse(expires_at) - Date.now() < 61 * 60_000]).toEqual(['held', true]);
    await letMinutesPass(2);
    const entry = await read(push.entry);
    expect(entry).toMatchObject({ status: 'expired', doc: { reason: expect.stringContaining('60 minutes') } });
    expect(entry.doc.finished_at).not.toBeNull();
  });

  it('a held push is superseded when its commit goes live by a hook that does not wait', async () => {
    const push = await held('other-way');
    const answer = await started().hook(payload(push), { 'x-github-event': 'push' }, '?branch=main&ci=ignore');
    expect(await outcome(answer)).toMatchObject({ status: 'ok' });
    const entry = await read(push.entry);
    const page = `/#/demo/deploys/${answer.body.id.split('/').at(-1)}`;
    expect(entry).toMatchObject({ status: 'superseded', reason: expect.stringContaining(page) });
    expect(await badge('other-way')).toBe('ok');
  });

  it('a held push is skipped by a failed build of its commit, and its entry says so', async () => {
    const push = await held('refused');
    expect(await called('failed', push)).toMatchObject({ status: 200, body: { status: 'skipped' } });
    expect(await started().until(push.entry, ...finals)).toMatchObject({
      status: 'skipped',
      doc: { reason: expect.stringMatching(/^CI did not pass/), url: null },
    });
  });
});
