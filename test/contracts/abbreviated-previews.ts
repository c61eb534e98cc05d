import { describe, expect, it } from 'vitest';
import { DeployError } from '../../functions/core/errors.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { bitbucketPullRequest as pull } from '../support/senders/pull-requests.ts';
import type { LogRoles } from '../support/worlds/pipeline-world.ts';
import { previewWorld } from './previews.ts';
import { watchedWorld } from './watched-previews.ts';

const short = ({ sha }: CommitRef) => sha.slice(0, 12);
const opened = { action: 'opened', number: 7 };
const updated = { action: 'updated', number: 7 };

/** What must hold of previews at a host that names 12 digits of a commit, on whatever log. */
export function abbreviatedPreviewContract(open: () => LogRoles): void {
  describe('a pull request whose calls have 12 digits of its commit', () => {
    it('has these in its row until it is checked, then the whole id, at which the commit status is set', async () => {
      const { call, read, commit, trunk, drain, report, host, facts, user } = await previewWorld(open());
      const head = commit(trunk);
      const queued = await call(pull({ ...opened, commit: head }));
      expect(queued).toMatchObject({ status: 'queued', sha: short(head) });
      await drain();
      expect(await read(queued)).toMatchObject({ status: 'ok', sha: head.sha });
      expect(await facts.commits(user, head, ':7', short(head))).toEqual([head.sha]);
      await report();
      expect(host.statuses(head).at(-1)).toMatchObject({ state: 'success', context: 'deployment-webhooks/shop-pr-7' });
    });

    it('is not deployed again when only its title has changed, at whatever moment', async () => {
      const { call, hears, commit, trunk, drain, started } = await previewWorld(open());
      const head = commit(trunk);
      const first = await call(pull({ ...opened, commit: head }));
      const same = `The pull request #7 has no new commit: its commit is that of #${first.number}.`;
      const title = { ...updated, title: 'Green', commit: head };
      expect(await call(pull(title))).toMatchObject({ status: 'skipped', reason: same, sha: short(head) });
      await drain();
      expect(await hears(pull(title))).toMatchObject({ status: 'skipped', reason: same });
      expect(started).toHaveLength(2);
    });

    it('is deployed again by a call that is sent again after it has failed', async () => {
      const { hears, commit, trunk, host } = await previewWorld(open());
      await hears(pull({ ...opened, commit: commit(trunk) }));
      const sent = pull({ ...updated, delivery: 'the-same', commit: commit(trunk) });
      host.failWith('file', new DeployError('deploy:repohost:no_pkg_json', 'Not visible.', { retry: false }));
      expect(await hears(sent)).toMatchObject({ status: 'error' });
      host.failWith('file', null);
      expect(await hears(sent)).toMatchObject({ status: 'ok' });
      expect(await hears(sent)).toMatchObject({ status: 'duplicate' });
    });

    it.each(['one after the other', 'at the same time'])(
      'has its newest commit, when the call that it was opened comes last (%s)',
      async (when) => {
        const { call, commit, trunk, drain, read, host } = await previewWorld(open());
        const first = commit(trunk);
        const second = commit(first);
        host.pullRequest(7, true, { sha: short(second) });
        const newer = await call(pull({ ...updated, commit: second }));
        if (when === 'one after the other') await drain();
        const late = await call(pull({ ...opened, commit: first }));
        await drain();
        expect(await read(newer)).toMatchObject({ status: 'ok' });
        expect(await read(late)).toMatchObject({ status: 'superseded' });
      },
    );

    it('of a fork ends its wait when it is merged, though its commits are gone from the host', async () => {
      const { hears, commit, trunk, read, host } = await previewWorld(open());
      const head = commit(trunk, 'shop', 'mallory');
      const sent = { number: 7, fromFork: true, commit: head };
      const held = await hears(pull({ action: 'opened', ...sent }));
      expect(held).toMatchObject({ status: 'held', pullRequest: { source: 'mallory/shop' } });
      host.failWith('wholeCommit', new DeployError('deploy:repohost:no_pkg_json', 'Not found.', { retry: false }));
      const merged = await hears(pull({ action: 'merged', ...sent }));
      expect(merged).toMatchObject({ status: 'skipped', reason: 'The pull request #7 was closed; it has no preview.' });
      expect(await read(held)).toMatchObject({ status: 'superseded' });
    });

    it('of a fork gets no commit status, because its commit is not in the repository of the token', async () => {
      const { hears, commit, trunk, report, host } = await previewWorld(open());
      const head = commit(trunk, 'shop', 'mallory');
      expect(await hears(pull({ ...opened, fromFork: true, commit: head }))).toMatchObject({ status: 'held' });
      await report();
      expect(host.statuses(head)).toEqual([]);
    });
  });

  describe('a list of pull requests with 12 digits of their commits', () => {
    const watched = () => watchedWorld(open(), pull, short);

    it('has those that the log knows, checked or not, once', async () => {
      const { call, commit, head, list, later, entries, drain } = await watched();
      expect(await entries()).toHaveLength(2);
      const next = commit(head);
      await call(pull({ ...updated, commit: next }));
      list(7, next);
      await later();
      await drain();
      list(7, next, { title: 'Green' });
      await later();
      expect(await entries()).toHaveLength(3);
    });

    it('has one that was known before the newest, also when a fork waits with it', async () => {
      const { hears, commit, head, list, later, entries } = await watched();
      const next = commit(head);
      await hears(pull({ ...updated, commit: next }));
      list(7, next);
      await later();
      const strange = commit(head, 'shop', 'mallory');
      await hears(pull({ ...opened, number: 8, fromFork: true, commit: strange }));
      const before = await entries();
      list(7, head);
      list(8, strange, { fromFork: true, source: 'mallory/shop' });
      await later();
      expect(await entries()).toHaveLength(before.length);
    });

    it('has one that was never deployed, because it could not be', async () => {
      const { hears, head, list, later, entries, host } = await watched();
      const broken = host.commit({ owner: 'ann', name: 'shop', files: { 'package.json': '{' }, parent: head });
      await hears(pull({ ...updated, commit: broken }));
      const before = await entries();
      list(7, broken);
      await later();
      expect(await entries()).toHaveLength(before.length);
    });

    it('has one that was deployed, though so many were since that the log is not looked through for it', async () => {
      const { hears, commit, head, list, later, entries, reader } = await watched();
      const next = commit(head);
      await hears(pull({ ...updated, commit: next }));
      list(7, next);
      await later();
      const before = await entries();
      const { page } = reader;
      reader.page = async () => ({ total: 0, entries: [] });
      list(7, head);
      await later();
      reader.page = page;
      expect(await entries()).toHaveLength(before.length);
    });

    it('has one that no call has brought, which is deployed; the call that comes late is not', async () => {
      const { hears, commit, head, list, later, newest } = await watched();
      const next = commit(head);
      list(7, next, { title: 'Green' });
      await later();
      const found = await newest();
      expect(found).toMatchObject({ provider: 'reconciled', status: 'ok', sha: next.sha, appName: 'shop-pr-7' });
      const late = await hears(pull({ ...updated, commit: next }));
      expect(late).toMatchObject({ status: 'skipped', reason: expect.stringContaining(`#${found?.number}.`) });
    });

    it('has one of a fork that no call has brought, which waits for a person', async () => {
      const { commit, head, list, later, newest } = await watched();
      const strange = commit(head, 'shop', 'mallory');
      list(8, strange, { fromFork: true, source: 'mallory/shop' });
      await later();
      expect(await newest()).toMatchObject({ status: 'held', sha: strange.sha, appName: 'shop-pr-8' });
    });
  });
}
