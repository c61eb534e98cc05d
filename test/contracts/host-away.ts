import { expect, it } from 'vitest';
import { DeployError } from '../../functions/core/errors.ts';
import { MINUTE, SECOND } from '../support/entries.ts';
import { answers, commit, compare, deployed, entryOf, fail, live, push } from '../support/worlds/host-away.ts';
import type { LogRoles } from '../support/worlds/pipeline-world.ts';

const AWAY = { retry: true, host: 'away' } as const;

/** How a host that is away is waited for, on whatever log. */
export function hostAwayContract(open: () => LogRoles): void {
  it('a push whose host has asked for a pause of an hour is deployed after it', async () => {
    const { world, first, second } = await deployed(open());
    const paused = new DeployError('deploy:repohost:no_pkg_json', 'It asks for a pause.', {
      ...AWAY,
      retryAfter: 3600,
    });
    fail(world, paused);
    await push(world, second, first);
    await live(world, 50 * MINUTE);
    fail(world, null);
    await live(world, 15 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a push whose host asks for one pause after the other ends when the last that began within the hour is over', async () => {
    const { world, first, second } = await deployed(open());
    const paused = new DeployError('deploy:repohost:no_pkg_json', 'It asks for a pause.', {
      ...AWAY,
      retryAfter: 2400,
    });
    fail(world, paused);
    await push(world, second, first);
    await live(world, 75 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'running' });
    await live(world, 15 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'error', reason: 'It asks for a pause.' });
  });

  it('a commit status that the host refuses for ten minutes is set after that', async () => {
    const { world, first, second } = await deployed(open());
    await world.report();
    fail(world, answers[503], ['setStatus']);
    await push(world, second, first);
    await live(world, 2 * MINUTE);
    await expect(world.report()).rejects.toThrow('answered 503');
    await live(world, 10 * MINUTE);
    expect(world.host.statuses(second)).toEqual([]);
    fail(world, null);
    await live(world, 20 * MINUTE);
    await world.report();
    expect(world.host.statuses(second).at(-1)).toMatchObject({ state: 'success' });
  });

  it('a push that waits says since when, and when its host is asked next: also after a start with all messages lost', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503]);
    await push(world, second, first);
    await live(world, 10 * MINUTE);
    const { status, reason } = await entryOf(world, 2);
    expect([status, reason]).toEqual([
      'running',
      expect.stringMatching(/answered 503 .* Tried since .* UTC; the next try is at .* UTC\.$/),
    ]);
    world.queue.sent.length = 0;
    await world.sweep(true);
    for (const job of world.queue.sent.splice(0)) await world.receive(job);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'running', reason });
    fail(world, null);
    await live(world, 10 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a push ends after an hour, and each comparison after that tries it again', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503]);
    await push(world, second, first);
    await live(world, 70 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'error' });
    for (const method of ['tip', 'compare'] as const) world.host.failWith(method, null);
    await compare(world);
    await live(world, 70 * MINUTE);
    expect(await entryOf(world, 3)).toMatchObject({ status: 'error', provider: 'reconciled' });
    fail(world, null);
    await compare(world);
    await live(world, MINUTE);
    expect(await entryOf(world, 4)).toMatchObject({ status: 'ok', sha: second.sha });
  });

  it('a push whose commit is known before that of a newer one is deployed', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[404]);
    await push(world, second, first);
    await live(world, 50 * SECOND);
    for (const method of ['file', 'tarball', 'wholeCommit'] as const) world.host.failWith(method, null);
    await push(world, commit(world, second, { 'package.json': '{' }), second);
    await live(world, 40 * SECOND);
    fail(world, null);
    await live(world, 5 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a newer push takes the place of one that waits', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[503]);
    await push(world, second, first);
    await live(world, 10 * MINUTE);
    fail(world, null);
    await push(world, commit(world, second), second);
    await live(world, 10 * MINUTE);
    expect(await entryOf(world, 3)).toMatchObject({ status: 'ok' });
    expect(await entryOf(world, 2)).toMatchObject({ status: 'superseded' });
  });

  it.each([
    ['no such branch', null],
    ['the tip before', 'first'],
  ])('a push after a lost one, for which the host says %s for a minute, is deployed', async (_, says) => {
    const { world, first, second } = await deployed(open());
    const { host, clock } = world;
    const { tip } = host;
    const since = clock.now();
    host.tip = async (...asked) => {
      const now = await tip(...asked);
      if (clock.now() - since >= 55 * SECOND) return now;
      return says === null || !now ? null : { ...now, sha: first.sha };
    };
    await push(world, second, null);
    await live(world, 2 * MINUTE);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'ok' });
  });

  it('a token that may not read the branch ends the deploy at once', async () => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[404]);
    world.host.failWith('tip', answers[404]);
    await push(world, second, first);
    await live(world, SECOND);
    expect(await entryOf(world, 2)).toMatchObject({ status: 'error', reason: answers[404].detail });
  });

  it('a commit that a person names and the host does not have ends the deploy at once', async () => {
    const { world, second } = await deployed(open());
    fail(world, answers[404]);
    await push(world, second, null, { provider: 'manual' });
    await live(world, SECOND);
    expect(await entryOf(world, 2)).toMatchObject({
      status: 'error',
      reason: expect.stringContaining('can be read, but'),
    });
  });
}
