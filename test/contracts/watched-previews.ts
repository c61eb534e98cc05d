import { describe, expect, it } from 'vitest';
import { DeployError } from '../../functions/core/errors.ts';
import type { CommitRef } from '../../functions/core/payload/delivery.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import { removalOf } from '../../functions/core/preview/removal.ts';
import { MINUTE, SECOND } from '../support/entries.ts';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import type { LogRoles } from '../support/worlds/pipeline-world.ts';
import { previewWorld } from './previews.ts';

/**
 * A preview of the pull request 7, which the host lists as open, with what it says of its commit; nobody hears what happens
 * next.
 */
export async function watchedWorld(roles: LogRoles, opens = githubPullRequest, said = ({ sha }: CommitRef) => sha) {
  const world = await previewWorld(roles);
  const head = world.commit(world.trunk);
  const pull = { number: 7, commit: head };
  const opened = await world.hears(opens({ action: 'opened', ...pull }));
  world.host.pullRequest(7, true, { sha: said(head) });
  await world.watch();
  const list = (number: number, commit: CommitRef, more = {}) =>
    world.host.pullRequest(number, true, { sha: said(commit), ...more });
  /** One look when the next one is due. */
  const later = async () => {
    world.clock.pass(45 * SECOND);
    return world.watch();
  };
  const numbers = async () => (await world.entries()).length;
  const newest = async () => (await world.entries())[0];
  return { ...world, head, opened, list, later, numbers, newest };
}

const down = (retry: boolean, retryAfter?: number) =>
  new DeployError('deploy:repohost:no_pkg_json', 'The host refused.', { retry, ...(retryAfter && { retryAfter }) });

/** What must hold of previews whose calls are lost, on whatever log. */
export function watchedPreviewContract(open: () => LogRoles): void {
  describe('a pull request whose call is lost', () => {
    it('is known to be closed within a minute, and its preview removed', async () => {
      const { host, later, apps, newest } = await watchedWorld(open());
      host.pullRequest(7, false);
      await later();
      expect(apps()).toEqual(['shop']);
      expect(await newest()).toMatchObject({ provider: 'reconciled', operation: 'remove', status: 'ok' });
    });

    it('is removed once, also when two find it, and when the call comes late', async () => {
      const { host, later, compare, hears, head, numbers, clock, watch } = await watchedWorld(open());
      const before = await numbers();
      host.pullRequest(7, false);
      clock.pass(MINUTE);
      await Promise.all([watch(), compare()]);
      await later();
      expect(await numbers()).toBe(before + 1);
      const late = await hears(githubPullRequest({ action: 'closed', number: 7, commit: head }));
      expect(late.reason).toBe('The pull request #7 was closed; it has no preview.');
      expect(await numbers()).toBe(before + 2);
    });

    it('is not closed because a list does not have it', async () => {
      const { host, later, apps } = await watchedWorld(open());
      host.pullRequest(7, true);
      await later();
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
    });

    it.each([
      ['refuses the list', 'openPullRequests', down(false)],
      ['is down', 'openPullRequests', down(true)],
      ['refuses the pull request', 'pullRequestState', down(false)],
    ] as const)('is not closed by a host that %s, which is asked less often then', async (_what, method, error) => {
      const { host, later, apps, clock, traced } = await watchedWorld(open());
      host.pullRequest(7, false);
      host.failWith(method, error);
      const pauses: number[] = [];
      for (let times = 0; times < 7; times += 1) {
        const next = (await later()) ?? 0;
        pauses.push((next - clock.now()) / SECOND);
        clock.pass(next - clock.now() - 45 * SECOND);
      }
      expect(pauses).toEqual([45, 90, 180, 360, 720, 900, 900]);
      expect(apps()).toEqual(['shop', 'shop-pr-7']);
      expect(traced).toContain('pull requests not compared');
      host.failWith(method, null);
      await later();
      expect(apps()).toEqual(['shop']);
    });

    it('is asked for after the pause that its host wants, an hour at most', async () => {
      for (const [seconds, minutes] of [
        [600, 10],
        [1e9, 60],
      ] as const) {
        const { host, later, clock } = await watchedWorld(open());
        host.failWith('openPullRequests', down(true, seconds));
        expect(((await later()) ?? 0) - clock.now()).toBe(minutes * MINUTE);
      }
    });

    it('is not asked for while no preview is left, nor again while nothing has changed', async () => {
      const { host, later, hears, head, clock } = await watchedWorld(open());
      expect(((await later()) ?? 0) - clock.now()).toBe(45 * SECOND);
      expect(host.listed).toEqual([true, false]);
      await hears(githubPullRequest({ action: 'closed', number: 7, commit: head }));
      expect(await later()).toBeNull();
      expect(host.listed).toEqual([true, false]);
    });

    it('is one of two of a repository, whose host is asked once for both', async () => {
      const { host, later, hears, head, list, apps } = await watchedWorld(open());
      await hears(githubPullRequest({ action: 'opened', number: 8, commit: head }));
      list(8, head);
      await later();
      expect(host.listed).toHaveLength(2);
      host.pullRequest(7, false);
      await later();
      expect([host.listed.length, apps()]).toEqual([3, ['shop', 'shop-pr-8']]);
    });

    it('is deployed when it was pushed to, as its call would have been; the call that comes late is skipped', async () => {
      const { later, hears, head, commit, list, newest, started } = await watchedWorld(open());
      const next = commit(head);
      list(7, next, { title: 'Green', author: 'hubot' });
      await later();
      const found = await newest();
      expect(found).toMatchObject({ provider: 'reconciled', status: 'ok', sha: next.sha, appName: 'shop-pr-7' });
      expect(found).toMatchObject({ message: 'Green', author: 'hubot', branch: 'changes', ref: null });
      expect(started.at(-1)).toBe(`1.0.0-${found?.number}`);
      const late = await hears(githubPullRequest({ action: 'synchronize', number: 7, commit: next, before: head }));
      expect(late).toMatchObject({ status: 'skipped', reason: expect.stringContaining(`by #${found?.number}`) });
    });

    it('is not overtaken by an older commit, whose call or list comes late', async () => {
      const { later, hears, head, commit, list, newest, read, host } = await watchedWorld(open());
      const second = commit(head);
      const third = commit(second);
      list(7, third);
      await later();
      const late = await hears(githubPullRequest({ action: 'synchronize', number: 7, commit: second, before: head }));
      expect(late).toMatchObject({ status: 'superseded' });
      const fourth = commit(third);
      const fifth = commit(fourth);
      host.pullRequestState = async () => ({ isOpen: true, head: fifth.sha });
      const last = await hears(githubPullRequest({ action: 'synchronize', number: 7, commit: fifth, before: fourth }));
      list(7, fourth);
      await later();
      expect(await newest()).toMatchObject({ sha: fourth.sha, status: 'superseded' });
      expect(await read(last)).toMatchObject({ status: 'ok' });
    });

    it('is deployed when it was opened, if another one of the repository has a preview', async () => {
      const { later, hears, head, commit, list, newest, apps, numbers } = await watchedWorld(open());
      const other = commit(head);
      list(8, other, { branch: 'more' });
      await later();
      expect(await newest()).toMatchObject({ provider: 'reconciled', status: 'ok', pullRequest: { number: 8 } });
      expect(apps()).toEqual(['shop', 'shop-pr-7', 'shop-pr-8']);
      const before = await numbers();
      await later();
      expect(await numbers()).toBe(before);
      const late = await hears(githubPullRequest({ action: 'opened', number: 8, branch: 'more', commit: other }));
      expect(late).toMatchObject({ status: 'skipped' });
    });

    it('is not overtaken by its first commit, when the call that it was opened comes after another was found', async () => {
      const { later, hears, head, commit, list, apps, newest } = await watchedWorld(open());
      const first = commit(head);
      const second = commit(first);
      list(8, second);
      await later();
      expect(await newest()).toMatchObject({ status: 'ok', sha: second.sha });
      const late = await hears(githubPullRequest({ action: 'opened', number: 8, commit: first }));
      expect(late).toMatchObject({ status: 'superseded' });
      expect(apps()).toEqual(['shop', 'shop-pr-7', 'shop-pr-8']);
    });

    it('waits for a person when it is of a fork, and for its author while it is a draft or nobody touches it', async () => {
      const { later, head, commit, list, newest, numbers, clock } = await watchedWorld(open());
      const before = await numbers();
      list(8, commit(head), { draft: true });
      list(9, commit(head), { updatedAt: clock.now() - 15 * 24 * 60 * MINUTE });
      await later();
      expect(await numbers()).toBe(before);
      list(10, commit(head), { fromFork: true });
      await later();
      expect(await newest()).toMatchObject({ status: 'held', appName: 'shop-pr-10', pullRequest: { fromFork: true } });
      await later();
      expect(await numbers()).toBe(before + 1);
    });

    it.each([true, false])(
      'is deployed again when it was reopened without a new commit (heard closing: %s)',
      async (heard) => {
        const { later, hears, head, commit, list, host, apps, clock, numbers, newest } = await watchedWorld(open());
        await hears(githubPullRequest({ action: 'opened', number: 8, commit: head }));
        list(8, head);
        host.pullRequest(7, false);
        if (heard) await hears(githubPullRequest({ action: 'closed', number: 7, commit: head }));
        else await later();
        expect(apps()).toEqual(['shop', 'shop-pr-8']);
        const before = await numbers();
        list(7, head);
        await later();
        // The list may have been older than the closing.
        expect(await numbers()).toBe(before);
        clock.pass(MINUTE);
        await later();
        expect(apps()).toEqual(['shop', 'shop-pr-7', 'shop-pr-8']);
        const again = await newest();
        expect(again).toMatchObject({ status: 'ok', sha: head.sha });
        const late = await hears(githubPullRequest({ action: 'reopened', number: 7, commit: head }));
        expect(late).toMatchObject({ status: 'skipped', reason: expect.stringContaining(`#${again?.number}`) });
        host.pullRequest(7, false);
        await later();
        expect(apps()).toEqual(['shop', 'shop-pr-8']);
        list(7, head);
        clock.pass(2 * MINUTE);
        await later();
        expect(await newest()).toMatchObject({ status: 'ok', sha: head.sha, appName: 'shop-pr-7' });
        await hears(githubPullRequest({ action: 'synchronize', number: 7, commit: commit(head), before: head }));
        expect(await newest()).toMatchObject({ status: 'ok' });
      },
    );

    it('stays removed when a person has removed it', async () => {
      const { later, hears, head, log, user, tracked, list, drain, queue, apps, clock } = await watchedWorld(open());
      const opened = await hears(githubPullRequest({ action: 'opened', number: 8, commit: head }));
      list(8, head);
      if (!opened.repository) throw new Error('There is no repository.');
      const [preview] = (await tracked.previews(user, opened.repository)).filter(({ app }) => app === 'shop-pr-7');
      if (!preview) throw new Error('There is no preview.');
      const why = { because: 'By hand.', closed: false, provider: 'manual', uuid: 'u', at: clock.now(), once: null };
      const result = await log.append(removalOf({ preview, of: null, ...why }));
      if ('entry' in result) await queue.send(jobOf(result.entry));
      await drain();
      clock.pass(5 * MINUTE);
      await later();
      expect(apps()).toEqual(['shop', 'shop-pr-8']);
    });
  });
}
