import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { githubPush } from '../support/senders/github-push.ts';
import { application, entryAddress, type GitFolder } from '../support/service/git-folder.ts';
import { type ApiAnswer, repositories, type Started, startEngineForTest } from '../support/service/started.ts';

const hooked = 'notifications:\n  webhooks: https://deploy.example.org/1/deploy\n';
const finals = ['ok', 'error', 'skipped', 'superseded', 'expired', 'duplicate'];

describe('pushes that wait for CI', () => {
  let started: Started;
  const repository = repositories(() => started);

  beforeAll(async () => {
    started = await startEngineForTest('waits');
  });
  afterAll(() => started.close());

  /** Pushes an application, with a `.travis.yml` or without; returns the commit and the address of the push's entry. */
  async function pushed(tree: GitFolder, name: string, travis: string | null = hooked, ref = 'main') {
    const sha = tree.commit({ ...application(name, name), '.travis.yml': travis });
    return { name, sha, entry: entryAddress(await tree.push(`main:${ref}`)) };
  }

  /** GitHub's call about a push of a commit. */
  const payload = ({ name, sha }: { readonly name: string; readonly sha: string }) =>
    githubPush(started.service.repoHost.url, { owner: 'demo', name, sha });

  /** Returns the entry of an answer once its status is final. */
  const outcome = (answer: ApiAnswer) => started.until(answer.body.id, ...finals);

  it.each([
    ['its address', (name: string) => `${started.service.repoHost.url}/demo/${name}`],
    ['its name', (name: string) => `demo/${name}`],
  ])(
    'a held push of another default branch is released by any CI that names the repository by %s',
    async (how, named) => {
      const name = how.replaceAll(' ', '-');
      const { sha, entry } = await pushed(await repository(name), name, hooked, 'trunk');
      await started.until(entry, 'held', ...finals);
      const answer = await started.hook(
        { commit: sha, branch: 'trunk', repository: named(name), state: 'success' },
        {},
        '',
      );
      expect(answer).toMatchObject({ status: 202, body: { provider: 'ci' } });
      expect(await started.until(entry, ...finals)).toMatchObject({ status: 'ok', app_name: name });
    },
  );

  describe('a push held without a CI file', () => {
    it("a push is held by the hook's address until CI calls", async () => {
      const commit = await pushed(await repository('wished'), 'wished', null, 'elsewhere');
      // Beside the application that follows the branch which was pushed.
      const query = '?branch=main&ci=wait&environment=main';
      const push = await started.hook(payload(commit), { 'x-github-event': 'push' }, query);
      expect(await started.until(push.body.id, 'held', ...finals)).toMatchObject({
        status: 'held',
        doc: { reason: expect.stringContaining('ci=wait') },
      });
      const run = { head_sha: commit.sha, head_branch: 'main', event: 'push', name: 'build', conclusion: 'success' };
      const build = { action: 'completed', workflow_run: run, repository: payload(commit).repository };
      await started.hook(build, { 'x-github-event': 'workflow_run' }, query);
      expect(await started.until(push.body.id, ...finals)).toMatchObject({ status: 'ok' });
    });
  });

  describe('repeated deliveries', () => {
    const delivery = (id: string) => ({ 'x-github-event': 'push', 'x-github-delivery': id });

    it('a repeated delivery deploys when the first one has failed', async () => {
      const tree = await repository('retried');
      const sha = tree.commit(application('retried', 'retried'));
      // The service itself does not call about that branch.
      const push = { ...payload({ name: 'retried', sha }), ref: 'refs/heads/elsewhere' };
      const deliver = () => started.hook(push, delivery('retried-1'), '?branch=elsewhere');
      const first = await outcome(await deliver());
      expect(first).toMatchObject({ status: 'error', error: { code: 'deploy:repohost:no_pkg_json' } });
      await tree.push('main:elsewhere');
      const second = await outcome(await deliver());
      expect(second).toMatchObject({ status: 'ok', app_name: 'retried' });
      const third = await deliver();
      expect(third).toMatchObject({ status: 200, body: { status: 'duplicate' } });
    });
  });
});
