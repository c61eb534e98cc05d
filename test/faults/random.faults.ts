import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Connection } from '../../functions/adapters/stores/sqlite/connection.ts';
import { StoreError } from '../../functions/adapters/stores/sqlite/store-error.ts';
import { testFolder } from '../support/service/place.ts';
import { budget } from './budget.ts';
import { EngineStory, type EngineTold } from './world/engine-story.ts';
import { called, type EngineWorld, startEngineWorld } from './world/engine-world.ts';
import { Weather } from './world/faults.ts';
import { commitTo, type FakeRepository } from './world/host.ts';
import { violations } from './world/invariants.ts';
import { pushOf } from './world/push.ts';
import { type Random, randomOf } from './world/random.ts';

/** A story has acts, and between two of them all comes to its end, so that there are versions to go back to. */
const ACTS = 3;
const PUSHES = 4;
const STORIES = Math.ceil(budget.deploys / (ACTS * PUSHES));
/** Stories that are told beside each other, on one engine. */
const AT_ONCE = 10;
/** The most that happens between two disturbances, in milliseconds. */
const CALM_MS = 600;

describe(`random faults on the engine, SEED=${budget.seed} DEPLOYS=${budget.deploys}`, () => {
  const random = randomOf(budget.seed);
  const weather = new Weather(random, called, 0);
  let world: EngineWorld;
  let disk: StoreFaults;
  const total: Record<string, number> = { faults: 0, restarts: 0, jumps: 0 };
  const add = (counts: Readonly<Record<string, number>>) => {
    for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
  };

  beforeAll(async () => {
    world = await startEngineWorld(join(testFolder, `random-${process.pid}`), (service) => {
      const fault = weather.next(service);
      if (fault) add({ faults: 1 });
      return fault;
    });
    disk = storeFaults(random, world.connection);
  });
  afterAll(async () => {
    disk.restore();
    console.log(
      `random faults on the engine, SEED=${budget.seed}: ${JSON.stringify({ ...total, writes: disk.count() })}`,
    );
    await world.close();
  });

  /** Restarts, and jumps of the clock, until the stories are told. */
  async function disturb(isTold: () => boolean): Promise<void> {
    while (!isTold()) {
      await setTimeout(random.below(CALM_MS));
      if (random.happens(0.4)) {
        add({ restarts: 1 });
        // A disk that is full at a start is its own test: the start says so.
        const { share } = disk;
        disk.share = 0;
        await world.restart();
        disk.share = share;
      } else if (random.happens(0.3)) {
        add({ jumps: 1 });
        world.pass(random.happens(0.7) ? random.below(600_000) : -random.below(120_000));
        await world.sweep();
      }
    }
  }

  /** Lets an act of all stories happen, with faults. */
  async function act(stories: readonly EngineStory[]): Promise<void> {
    let isTold = false;
    weather.share = random.pick([0.03, 0.08, 0.15]);
    disk.share = random.pick([0, 0.002, 0.01]);
    const disturbed = disturb(() => isTold);
    await Promise.all(stories.map((story) => story.act(PUSHES)));
    isTold = true;
    await disturbed;
    [weather.share, disk.share] = [0, 0];
    await world.settle();
  }

  /** After all faults have ended, a push of each repository is live. */
  async function pushOnce(user: string, repository: FakeRepository): Promise<() => Promise<string[]>> {
    const commit = commitTo(repository, '1.0.0');
    const headers = { 'x-github-event': 'push', 'x-github-delivery': commit.sha, 'content-type': 'application/json' };
    const body = pushOf(world.host, repository, commit);
    const query = { branch: 'main', ci: 'ignore' };
    const answer = await world.post({ endpoint: 'api-deploy', resource: '/1/deploy', user, headers, body, query });
    return async () => {
      const last = (await world.logOf(user)).entries.findLast(({ sha }) => sha === commit.sha);
      const isLive = world.platform.running(`${user}/${repository.name}`) === last?.snapshot;
      if (last?.status === 'ok' && isLive) return [];
      return [`after all, a push is ${answer.status}, ${last?.status}: ${last?.reason}`];
    };
  }

  async function found(told: EngineTold): Promise<string[]> {
    let log = await world.logOf(told.user);
    const wrong = () => violations(log, world, { ...told, leavesTarballs: false });
    // The tarball of a deploy is removed after its end, which nothing in the log says.
    for (let tries = 0; tries < 50 && wrong().length > 0; tries += 1) {
      await setTimeout(200);
      log = await world.logOf(told.user);
    }
    add({ ...told.counts, accepted: told.accepted.length, refused: told.refusals.length, entries: log.entries.length });
    for (const word of [...log.entries.map(({ status }) => status), ...told.refusals]) add({ [word]: 1 });
    return wrong();
  }

  it('every accepted delivery ends, once and in order, whatever happens to the calls, the disk and the engine', async () => {
    const failures: string[] = [];
    for (let first = 0; first < STORIES; first += AT_ONCE) {
      const users = Array.from({ length: Math.min(AT_ONCE, STORIES - first) }, (_, index) => `r-${first + index}`);
      for (const user of users) await world.pair(user);
      const stories = users.map((user, index) => new EngineStory(world, user, budget.seed * 1000 + first + index));
      for (let acts = 0; acts < ACTS; acts += 1) await act(stories);
      // A fetch that a restart has cut off may have stored its tarball after its deploy was closed: the first fetch of a
      // later process removes it.
      await world.restart();
      const told = stories.map((story) => story.told());
      const last = await Promise.all(
        told.flatMap(({ user, repositories }) => repositories.map((repository) => pushOnce(user, repository))),
      );
      await world.settle();
      for (const story of told) failures.push(...(await found(story)).map((one) => `${story.user}: ${one}`));
      for (const isLive of last) failures.push(...(await isLive()));
    }
    expect(failures).toEqual([]);
  });
});

/** Faults of the disk below the log. */
interface StoreFaults {
  /** The share of writes with which the disk begins to be full for a moment. */
  share: number;
  /** Writes that have failed. */
  readonly count: () => number;
  /** Ends all of it. */
  restore(): void;
}

const WRITES = /^\s*(?:INSERT|UPDATE|DELETE|COMMIT)\b/;
/** For how many writes a disk stays full. */
const MOST_WRITES = 40;

/** Lets writes of all connections but one fail, as SQLite does on a full disk. */
function storeFaults(random: Random, spared: Connection): StoreFaults {
  const run = Connection.prototype.run;
  let left = 0;
  let count = 0;
  const spy = vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, sql, ...values) {
    if (this === spared || !WRITES.test(sql)) return run.call(this, sql, ...values);
    if (faults.share === 0) left = 0;
    if (left === 0 && random.happens(faults.share)) left = 1 + random.below(MOST_WRITES);
    if (left === 0) return run.call(this, sql, ...values);
    left -= 1;
    count += 1;
    // It ends the transaction by itself after some of these errors: https://www.sqlite.org/lang_transaction.html
    if (random.happens(0.5)) run.call(this, 'ROLLBACK');
    const cause = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' });
    throw new StoreError('The disk is full: free some space on it.', { cause });
  });
  const faults: StoreFaults = { share: 0, count: () => count, restore: () => spy.mockRestore() };
  return faults;
}
