import { expect, it } from 'vitest';
import { DeployError } from '../../functions/core/errors.ts';
import { jobOf } from '../../functions/core/pipeline/job.ts';
import { append, MINUTE, SECOND } from '../support/entries.ts';
import { githubPullRequest } from '../support/senders/pull-requests.ts';
import {
  type Answer,
  answers,
  compare,
  deployed,
  entryOf,
  fail,
  live,
  METHODS,
  push,
  travis,
} from '../support/worlds/host-away.ts';
import { type LogRoles, pipelineWorld } from '../support/worlds/pipeline-world.ts';
import { previewWorld } from './previews.ts';

const durations = [
  ['2 s', 2 * SECOND],
  ['30 s', 30 * SECOND],
  ['10 min', 10 * MINUTE],
  ['50 min', 50 * MINUTE],
] as const;
const table = (Object.keys(answers) as Answer[]).flatMap((answer) =>
  durations.map(([words, duration]) => [answer, words, duration] as const),
);

/** What a host that is away may answer, and for how long: no push, release or preview is lost, on whatever log. */
export function hostAnswersContract(open: () => LogRoles): void {
  it.each(table)('a push whose host answers %s for %s is deployed', async (answer, _, duration) => {
    const { world, first, second } = await deployed(open());
    fail(world, answers[answer]);
    await push(world, second, first);
    await live(world, duration);
    fail(world, null);
    await live(world, 10 * MINUTE);
    await compare(world);
    await live(world, MINUTE);
    expect(world.started.at(-1)).toMatch(/-[23]$/);
  });

  it.each(table)(
    'a build that releases a hold is deployed when the host answers %s for %s',
    async (answer, _, duration) => {
      const { world, first, second } = await deployed(open(), travis);
      await push(world, second, first);
      await live(world, 20 * MINUTE);
      expect(await entryOf(world, 2)).toMatchObject({ status: 'held' });
      fail(world, answers[answer]);
      const outcome = { provider: 'travis', check: 'Travis CI', outcome: 'passed', state: 'Passed' } as const;
      const times = { receivedAt: world.clock.now(), updatedAt: world.clock.now() };
      const build = { user: world.user, sha: second.sha, kind: 'build', provider: 'travis', ...times } as const;
      await world.queue.send(jobOf(await append(world.log, build, { isNewestPush: false, checkResult: outcome })));
      await live(world, duration);
      fail(world, null);
      await live(world, 10 * MINUTE);
      await compare(world);
      await live(world, MINUTE);
      expect(world.started.at(-1)).not.toMatch(/-1$/);
    },
  );

  it.each(table)('a preview whose host answers %s for %s is deployed', async (answer, _, duration) => {
    const world = await previewWorld(open());
    const { commit: make, trunk, host, hears } = world;
    // Of a repository that has previews the open pull requests are compared.
    const [first, second] = [make(trunk), make(trunk)];
    host.pullRequest(6, true, { sha: first.sha });
    await hears(githubPullRequest({ action: 'opened', number: 6, commit: first }));
    await world.watch();
    fail(world, answers[answer]);
    host.pullRequest(7, true, { sha: second.sha });
    const { number } = await world.call(githubPullRequest({ action: 'opened', number: 7, commit: second }));
    await live(world, duration);
    fail(world, null);
    await live(world, 10 * MINUTE);
    await world.watch();
    await live(world, MINUTE);
    expect(world.apps()).toEqual(['shop', 'shop-pr-6', 'shop-pr-7']);
    expect(world.started.at(-1)).toMatch(new RegExp(`-(?:${number}|${number + 1})$`));
  });
}

const APPS = 1000;
/** What a host that is back allows. */
const A_MINUTE = 600;

/** A host that is back after a long time is not asked by all at once, on whatever log. */
export function hostPaceContract(open: () => LogRoles, apps = APPS): void {
  it(`${apps} pushes that wait ask a host that is back no faster than it allows`, async () => {
    const world = pipelineWorld(open());
    const { log, user, queue, host, clock } = world;
    fail(world, answers[503]);
    for (let app = 1; app <= apps; app += 1) {
      const name = `shop-${app}`;
      const { sha } = host.commit({ owner: 'ann', name, files: { 'package.json': JSON.stringify({ name }) } });
      const repository = { host: 'memory', owner: 'ann', name, url: null, private: false };
      const draft = { user, sha, repository, receivedAt: clock.now(), updatedAt: clock.now() };
      await queue.send(jobOf(await append(log, draft, { isTip: true, dueAt: clock.now() + MINUTE })));
    }
    await live(world, 10 * MINUTE);
    fail(world, null);
    const { allowed, refused } = limited(world, A_MINUTE);
    await live(world, 55 * MINUTE);
    const ended = await Promise.all(Array.from({ length: apps }, (_, index) => entryOf(world, index + 1)));
    expect(ended.filter(({ status }) => status !== 'ok')).toEqual([]);
    expect(allowed()).toBeGreaterThanOrEqual(2 * apps);
    // Those of the entry that learns of the pause, which asks for several files at once, and nobody else's.
    expect(Math.max(...refused.values())).toBeLessThan(10);
  });
}

/** Has the host answer so many requests of a minute, and ask for a pause until its end. Returns what was asked. */
function limited({ host, clock }: Pick<ReturnType<typeof pipelineWorld>, 'host' | 'clock'>, most: number) {
  const asked = new Map<number, number>();
  const refused = new Map<number, number>();
  const count = (counts: Map<number, number>, minute: number) => {
    counts.set(minute, (counts.get(minute) ?? 0) + 1);
    return counts.get(minute) ?? 0;
  };
  for (const method of METHODS) {
    const ask = host[method] as (...given: unknown[]) => Promise<never>;
    Object.assign(host, {
      [method]: async (...given: unknown[]) => {
        const minute = Math.floor(clock.now() / MINUTE);
        if (count(asked, minute) <= most) return ask(...given);
        count(refused, minute);
        const retryAfter = Math.ceil(((minute + 1) * MINUTE - clock.now()) / SECOND);
        throw new DeployError('deploy:repohost:no_pkg_json', 'Slow down.', { retry: true, host: 'away', retryAfter });
      },
    });
  }
  return { refused, allowed: () => [...asked.values()].reduce((sum, one) => sum + Math.min(one, most), 0) };
}
