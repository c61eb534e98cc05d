import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commitTo } from '../../faults/world/host.ts';
import { violations } from '../../faults/world/invariants.ts';
import { pushOf } from '../../faults/world/push.ts';
import { queues } from './world/aws.ts';
import { clock } from './world/clock.ts';
import { logOf } from './world/log.ts';
import type { Death } from './world/runs.ts';
import { settle } from './world/settle.ts';
import { startWorld, type World } from './world/world.ts';

/** Where a worker dies: in the first run of a function, after so many of its calls. */
interface Place {
  readonly where: string;
  readonly dies: Death | null;
  /** Whether all messages and objects are lost then, as when one machine is killed. */
  readonly losesMessages?: boolean;
}

const NOBODY: Place = { where: '', dies: null };
const functions = ['deploy', ...queues.map(({ name }) => name), 'sweep'];

describe('a worker that dies', () => {
  let world: World;
  /** The calls of each function in a deploy without a fault. */
  let calls: Record<string, number>;
  let users = 0;
  let deaths = 0;

  beforeAll(async () => {
    world = await startWorld('workers');
    calls = (await deployWith(NOBODY)).calls;
  });
  afterAll(async () => {
    console.log(`workers that died: ${deaths}, at each of ${JSON.stringify(calls)} calls`);
    await world.close();
  });

  /** Deploys a commit of a new user, as the only one of an instance of each function. */
  async function deployWith({ where, dies, losesMessages = false }: Place) {
    users += 1;
    const user = `w-${users}`;
    await world.pair(user);
    world.instances.clear();
    const repository = world.host.repository(user, 'shop');
    const push = {
      user,
      payload: pushOf(world.host, repository, commitTo(repository, '1.0.0')),
      delivery: `${user}-1`,
    };
    const found: Record<string, number> = {};
    const diesAt = (name: string) => (where === name && !(name in found) ? dies : null);
    const first = await world.hook(push, diesAt('deploy') ?? undefined);
    found.deploy = first.calls;
    // A sender that gets no answer sends the delivery again.
    const { answer } = first.answer ? first : await world.hook(push);
    if (where === 'sweep') {
      clock.pass(120_000);
      found.sweep = await world.sweep(false, dies ?? undefined);
    }
    for (let left = 30; left > 0; left -= 1) {
      for (const delivery of await world.broker.receive()) {
        const { name } = delivery.queue;
        const death = diesAt(name);
        const made = await world.broker.deliver(delivery, death);
        found[name] ??= made;
        if (!death || !losesMessages) continue;
        await world.restart();
        await world.sweep(true);
        break;
      }
    }
    found.sweep ??= await world.sweep();
    await settle(world);
    return { user, calls: found, answer };
  }

  /**
   * Returns what does not hold when the worker of a function dies after calls of those numbers; 0: before the first.
   */
  async function deathsAt(
    { where, losesMessages = false }: Omit<Place, 'dies'>,
    places: readonly number[],
  ): Promise<string[]> {
    const failures: string[] = [];
    for (const call of places) {
      deaths += 1;
      const dies: Death = call === 0 ? { call: 1, when: 'before' } : { call, when: 'after' };
      const { user, answer } = await deployWith({ where, dies, losesMessages });
      const log = await logOf(world, user);
      const found = violations(log, world, {
        user,
        accepted: [answer?.body.id ?? 'nothing'],
        refusals: [],
        leavesTarballs: false,
      });
      const { entries } = log;
      const isOk = entries.filter(({ status }) => status === 'ok').length === 1;
      if (!isOk) found.push(`the deploy is ${entries.map(({ status }) => status).join(', ')}`);
      failures.push(...found.map((one) => `${where}, dead after call ${call}: ${one}`));
    }
    return failures;
  }

  it.each(functions)('%s: after each of its calls, the deploy still ends, once, and says so', async (where) => {
    const places = Array.from({ length: (calls[where] ?? 0) + 1 }, (_, call) => call);
    expect(await deathsAt({ where }, places)).toEqual([]);
  });

  // The two ends of the last stage: the deploy has ended, and its report is sent or not; and those of the report.
  it.each(['start', 'report'])('%s: also when all messages and objects are lost with it', async (where) => {
    const all = calls[where] ?? 0;
    const places = where === 'start' ? [all - 1, all] : [0, Math.floor(all / 2), all - 1];
    expect(await deathsAt({ where, losesMessages: true }, places)).toEqual([]);
  });
});
