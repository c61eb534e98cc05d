import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { budget } from '../../faults/budget.ts';
import { commitTo } from '../../faults/world/host.ts';
import { violations } from '../../faults/world/invariants.ts';
import { pushOf } from '../../faults/world/push.ts';
import { logOf } from './world/log.ts';
import { settle } from './world/settle.ts';
import { Story, type Told } from './world/story.ts';
import { startWorld, type World } from './world/world.ts';

const PER_STORY = 10;
const stories = Math.ceil(budget.deploys / PER_STORY);

describe(`random faults, SEED=${budget.seed} DEPLOYS=${budget.deploys}`, () => {
  let world: World;
  const total: Record<string, number> = {};
  const add = (counts: Readonly<Record<string, number>>) => {
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
  };

  beforeAll(async () => {
    world = await startWorld('random');
  });
  afterAll(async () => {
    console.log(`random faults, SEED=${budget.seed}: ${JSON.stringify(total)}`);
    await world.close();
  });

  /** Everything works again: what was accepted comes to its end, and one more push of each repository is live. */
  async function end({ user, repositories }: Told): Promise<string[]> {
    const recoveryMs = await settle(world);
    total.longestRecoveryMinutes = Math.max(total.longestRecoveryMinutes ?? 0, Math.round(recoveryMs / 60_000));
    const found: string[] = [];
    for (const repository of repositories) {
      const commit = commitTo(repository, '1.0.0');
      const payload = pushOf(world.host, repository, commit);
      const { answer } = await world.hook({ user, payload, delivery: commit.sha, query: { ci: 'ignore' } });
      await settle(world);
      const { entries } = await logOf(world, user);
      const last = entries.find(({ sha }) => sha === commit.sha);
      const isLive = world.platform.running(`${user}/${repository.name}`) === last?.snapshot;
      if (last?.status !== 'ok' || !isLive)
        found.push(`after all, a push is ${answer?.status}, ${last?.status}: ${last?.reason}`);
    }
    return found;
  }

  it('every accepted delivery ends, once and in order, whatever happens to the calls, the workers and the messages', async () => {
    const failures: string[] = [];
    for (let story = 0; story < stories; story += 1) {
      if (budget.story !== null && budget.story !== story) continue;
      const user = `r-${story}`;
      await world.pair(user);
      const told = await new Story(world, user, { seed: budget.seed * 1000 + story, deliveries: PER_STORY }).tell();
      const ended = await end(told);
      const log = await logOf(world, user);
      const leavesTarballs = told.counts.jumps > 0 && told.counts.deaths > 0;
      const found = [...violations(log, world, { ...told, leavesTarballs }), ...ended];
      failures.push(...found.map((one) => `SEED=${budget.seed} STORY=${story}: ${one}`));
      add({
        ...told.counts,
        accepted: told.accepted.length,
        refused: told.refusals.length,
        entries: log.entries.length,
      });
      for (const { status } of log.entries) add({ [status]: 1 });
      if (found.length > 0) console.log([JSON.stringify(told.counts), ...found, ...told.injected].join('\n'));
    }
    expect(failures).toEqual([]);
    expect(total.faults, 'No call had a fault.').toBeGreaterThan(0);
  });
});
