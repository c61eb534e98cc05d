import { afterAll, beforeAll, expect, it } from 'vitest';
import { commitTo } from '../../faults/world/host.ts';
import { pushOf } from '../../faults/world/push.ts';
import { clock } from './world/clock.ts';
import { logOf } from './world/log.ts';
import { type Run, type Turns, useTurns } from './world/runs.ts';
import { settle } from './world/settle.ts';
import { startWorld, type World } from './world/world.ts';

const PUSHES = 30;
const AWAY_MS = 10 * 60_000;
/** As long as the pause that the host asks for: see `httpAnswers`. */
const WINDOW_MS = 11_000;
const MOST_IN_A_WINDOW = 12;

let world: World;
beforeAll(async () => {
  world = await startWorld('rate-limit');
});
afterAll(async () => {
  useTurns(null);
  await world.close();
});

/** A host that is away, and then answers so many requests of a window. Counts the runs that it refuses in each window. */
function limitedHost(back: number): Turns & { readonly refused: ReadonlyMap<number, ReadonlySet<Run>> } {
  const asked = new Map<number, number>();
  const refused = new Map<number, Set<Run>>();
  return {
    refused,
    ended: () => {},
    take: async (run, { service }) => {
      if (service !== 'host') return null;
      if (clock.now() < back) return 'fails';
      const window = Math.floor((clock.now() - back) / WINDOW_MS);
      asked.set(window, (asked.get(window) ?? 0) + 1);
      if ((asked.get(window) ?? 0) <= MOST_IN_A_WINDOW) return null;
      refused.set(window, (refused.get(window) ?? new Set()).add(run));
      return 'throttled';
    },
  };
}

it(`${PUSHES} pushes that wait ask a host that is back no faster than it allows`, async () => {
  const user = 'many';
  const host = limitedHost(clock.now() + AWAY_MS);
  useTurns(host);
  for (let index = 0; index < PUSHES; index += 1) {
    const repository = world.host.repository(user, `shop-${index}`);
    const payload = pushOf(world.host, repository, commitTo(repository, '1.0.0'));
    await world.hook({ user, payload, delivery: `${user}-${index}`, query: { ci: 'ignore' } });
  }
  await settle(world);
  const { entries } = await logOf(world, user);
  expect(entries.filter(({ status }) => status !== 'ok')).toEqual([]);
  expect(entries).toHaveLength(PUSHES);
  expect(host.refused.size).toBeGreaterThan(0);
  // The run of `check` that learns of the pause, and that of `fetch`, and no later one.
  for (const runs of host.refused.values()) expect(runs.size).toBeLessThanOrEqual(2);
});
