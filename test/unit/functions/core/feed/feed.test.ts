import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../../../functions/adapters/system/clock.ts';
import { Feed } from '../../../../../functions/core/feed/feed.ts';
import { Feeds } from '../../../../../functions/core/feed/feeds.ts';
import { type FeedEvent, follow, type ReadOptions } from '../../../../../functions/core/feed/follow.ts';
import type { Change } from '../../../../../functions/core/ports/log.ts';
import { appending } from '../../../../contracts/deploy-log.ts';
import { memorySignals } from '../../../../fakes/signals.ts';
import { LASTING_LOGIN } from '../../../../support/requests.ts';

/** A log of one user that grows, and hides what a read that is no snapshot may not see yet. */
class GrowingLog {
  readonly rows: Change[] = [];
  hidden: number | null = null;
  reads = 0;

  commit(): void {
    const seq = this.rows.length + 1;
    this.rows.push({ ...appending('ann').draft, number: seq, id: String(seq).padStart(32, '0'), seq });
  }

  async changes(_user: string, since: number, limit: number): Promise<readonly Change[]> {
    this.reads += 1;
    const hidden = this.hidden;
    this.hidden = null;
    return this.rows.filter(({ seq }) => seq > since && seq !== hidden).slice(0, limit);
  }

  async last(): Promise<number> {
    return this.rows.length;
  }
}

/** Time that only moves when everybody waits. */
class TestTime {
  #now = 0;
  #timers: { at: number; resolve: () => void }[] = [];
  readonly clock = {
    now: () => this.#now,
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal?.addEventListener('abort', () => resolve());
        void this.#wait(milliseconds).then(resolve);
      }),
  };

  #wait(milliseconds: number): Promise<void> {
    return new Promise((resolve) => this.#timers.push({ at: this.#now + milliseconds, resolve }));
  }

  async pass(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    for (;;) {
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      const due = this.#timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
      if (!due) break;
      this.#timers.splice(this.#timers.indexOf(due), 1);
      this.#now = Math.max(this.#now, due.at);
      due.resolve();
    }
    this.#now = end;
  }
}

function world() {
  const log = new GrowingLog();
  const time = new TestTime();
  const signals = memorySignals();
  const feeds = new Feeds({ log, signals, clock: time.clock });
  const read = (since: number, patch: Partial<ReadOptions> = {}) => {
    const seen: number[] = [];
    const events: FeedEvent['kind'][] = [];
    const feed = feeds.acquire('ann', log.rows.length);
    const options: ReadOptions = {
      since,
      mode: 'continuous',
      limit: Number.MAX_SAFE_INTEGER,
      app: null,
      heartbeatMs: 15_000,
      endsAt: time.clock.now() + 840_000,
      ...patch,
    };
    const ended = (async () => {
      let last = since;
      for await (const event of follow(feed, options, { ...time, login: LASTING_LOGIN })) {
        events.push(event.kind);
        if (event.kind === 'changes') seen.push(...event.changes.map(({ seq }) => seq));
        last = event.last;
      }
      feeds.release('ann', feed);
      return last;
    })();
    return { seen, events, ended };
  };
  return { log, time, signals, read };
}

const upTo = (last: number, from = 1) => Array.from({ length: last - from + 1 }, (_, place) => from + place);

let { time, read, log, signals } = world();
beforeEach(() => {
  ({ time, read, log, signals } = world());
});

describe('a feed of changes', () => {
  it('yields every change once and in order when signals are lost, repeated or reordered', async () => {
    const step = fc.oneof(
      fc.constant('commit' as const),
      fc.constant('hide the next' as const),
      fc.record({
        signal: fc.integer({ min: -3, max: 3 }),
        with: fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 4 }),
      }),
      fc.record({ wait: fc.integer({ min: 0, max: 2_000 }) }),
      fc.constant('look' as const),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40, size: 'max' }),
        fc.integer({ min: 0, max: 5 }),
        async (steps, before) => {
          const { log, time, signals, read } = world();
          for (let row = 0; row < before; row += 1) log.commit();
          const all = read(0);
          const fresh = read(before);
          for (const one of steps) {
            if (one === 'commit') log.commit();
            else if (one === 'hide the next') log.hidden = log.rows.length;
            else if (one === 'look') signals.notify('ann', null);
            // Late, early, doubled, of changes that are not there yet: a signal may say anything.
            // And changes come along in any order, with gaps and doubles; but only those that are there.
            else if ('signal' in one) {
              const along = one.with.flatMap((back) => log.rows.at(-1 - back) ?? []);
              signals.notify('ann', Math.max(0, log.rows.length + one.signal), along);
            } else await time.pass(one.wait);
          }
          // Without any further signal the look at the counter finds the rest.
          await time.pass(70_000);
          expect(all.seen).toEqual(upTo(log.rows.length));
          expect(fresh.seen).toEqual(upTo(log.rows.length, before + 1));
        },
      ),
      { numRuns: 150 },
    );
  });

  it('continues at the cursor of an interrupted reader without a gap or a duplicate', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 8 }), async (bursts) => {
        const { log, time, signals, read } = world();
        const seen: number[] = [];
        for (const burst of bursts) {
          const reader = read(seen.at(-1) ?? 0, { endsAt: time.clock.now() + 1_000 });
          for (let row = 0; row < burst; row += 1) log.commit();
          signals.notify('ann', log.rows.length);
          await time.pass(1_500);
          seen.push(...reader.seen);
          expect(await reader.ended).toBe(seen.at(-1) ?? 0);
        }
        expect(seen).toEqual(upTo(log.rows.length));
      }),
      { numRuns: 60 },
    );
  });

  it('reads the log once for many readers of one user', async () => {
    const readers = Array.from({ length: 50 }, () => read(0));
    await time.pass(10);
    const before = log.reads;
    log.commit();
    signals.notify('ann', 1);
    await time.pass(10);
    expect(readers.map(({ seen }) => seen)).toEqual(readers.map(() => [1]));
    expect(log.reads - before).toBe(1);
    expect(signals.subscribers()).toBe(1);
  });

  it('has one timer for all readers, however often they wait', async () => {
    let timers = 0;
    const { sleep } = time.clock;
    time.clock.sleep = (...args) => {
      timers += 1;
      return sleep(...args);
    };
    const readers = Array.from({ length: 50 }, (_, place) => read(0, { heartbeatMs: 15_000 + place }));
    for (let row = 1; row <= 10; row += 1) {
      log.commit();
      signals.notify('ann', row, log.rows.slice(-1));
      await time.pass(10);
    }
    expect(readers.map(({ seen }) => seen)).toEqual(readers.map(() => upTo(10)));
    expect(timers).toBe(1);
    await time.pass(16_000);
    expect(readers.map(({ events }) => events.at(-1))).toEqual(readers.map(() => 'heartbeat'));
  });

  it('does not read the log when signals include the changes, and yields a repeated one once', async () => {
    const reader = read(0);
    await time.pass(10);
    const before = log.reads;
    for (const count of [1, 3, 2]) {
      for (let row = 0; row < count; row += 1) log.commit();
      const along = log.rows.slice(-count - 1);
      for (let times = 0; times < 2; times += 1) signals.notify('ann', log.rows.length, along);
    }
    await time.pass(10);
    expect([reader.seen, log.reads - before]).toEqual([upTo(6), 0]);
  });

  it('continues when a signal brings changes during a read', async () => {
    const reader = read(0);
    await time.pass(10);
    const { changes } = log;
    let answer = () => {};
    log.changes = async (user, since, limit) => {
      const found = await changes.call(log, user, since, limit);
      await new Promise<void>((resolve) => (answer = resolve));
      return found;
    };
    log.commit();
    signals.notify('ann', 1);
    await time.pass(10);
    log.commit();
    signals.notify('ann', 2, log.rows.slice());
    await time.pass(10);
    expect(reader.seen).toEqual([1, 2]);
    log.changes = changes;
    // With the first change alone, which is there already.
    answer();
    await time.pass(10);
    log.commit();
    signals.notify('ann', 3);
    await time.pass(10);
    expect(reader.seen).toEqual([1, 2, 3]);
  });

  it('wakes a new listener at once when its changes have already arrived', async () => {
    const feed = new Feed({ log, signals, clock: time.clock }, 'ann', 0);
    log.commit();
    feed.notify(1);
    await time.pass(1);
    // The reader's last look was before that, at cursor 0.
    const woken: number[] = [];
    feed.wait(0, 1_000, () => woken.push(0));
    feed.wait(1, 1_000, () => woken.push(1));
    await time.pass(1);
    expect(woken).toEqual([0]);
    feed.close();
  });

  it('continues after changes that have expired', async () => {
    for (let row = 0; row < 9; row += 1) log.commit();
    log.rows.splice(0, 6);
    log.last = async () => 9;
    const some = read(2);
    await time.pass(5_000);
    expect(some.seen).toEqual([7, 8, 9]);
    log.rows.splice(0, 3);
    const none = read(2, { mode: 'normal' });
    await time.pass(5_000);
    expect([none.seen, await none.ended]).toEqual([[], 9]);
  });

  it('reads the log six times before it treats a missing change as expired', async () => {
    for (let row = 0; row < 3; row += 1) log.commit();
    log.rows.splice(0, 1);
    log.last = async () => 3;
    const reader = read(0, { mode: 'normal' });
    await time.pass(5_000);
    expect([await reader.ended, reader.seen, log.reads]).toEqual([3, [2, 3], 6]);
  });

  it('reads the log for a reader that is far behind, while the others follow from memory', async () => {
    for (let row = 0; row < 700; row += 1) log.commit();
    const far = read(0);
    const near = read(700);
    await time.pass(100);
    const before = log.reads;
    log.commit();
    signals.notify('ann', 701);
    await time.pass(100);
    expect(log.reads - before).toBe(1);
    expect([far.seen, near.seen]).toEqual([upTo(701), [701]]);
  });

  it('retries a failed read once, and then fails each reader at its cursor', async () => {
    log.commit();
    const reader = read(0);
    await time.pass(10);
    const { changes } = log;
    log.changes = async () => {
      throw new Error('away');
    };
    log.rows.push({ ...(log.rows[0] as Change), seq: 2 });
    signals.notify('ann', 2);
    await time.pass(1_000);
    log.changes = changes;
    await time.pass(2_000);
    expect(reader.seen).toEqual([1, 2]);
    log.changes = async () => {
      throw new Error('away');
    };
    signals.notify('ann', 3);
    const failed = expect(reader.ended).rejects.toThrow('away');
    await time.pass(10_000);
    await failed;
    log.changes = changes;
    const next = read(2, { mode: 'normal' });
    await time.pass(10);
    expect(next.events).toEqual(['done']);
  });

  it('checks the log’s counter every 30 seconds, once for all readers', async () => {
    let looks = 0;
    const readers = Array.from({ length: 10 }, () => read(0));
    // What the subscription finds when it is connected.
    await time.pass(10);
    log.last = async () => {
      looks += 1;
      return log.rows.length;
    };
    log.commit();
    await time.pass(29_000);
    expect([looks, readers[0]?.seen]).toEqual([0, []]);
    await time.pass(2_000);
    expect([looks, ...readers.map(({ seen }) => seen)]).toEqual([1, ...readers.map(() => [1])]);
  });

  it('subscribes when the first reader waits, and unsubscribes after the last', async () => {
    read(0, { mode: 'normal' });
    await time.pass(10);
    expect(signals.subscribers()).toBe(0);
    read(0, { endsAt: time.clock.now() + 1_000 });
    await time.pass(10);
    expect(signals.subscribers()).toBe(1);
    await time.pass(2_000);
    expect(signals.subscribers()).toBe(0);
  });

  it('yields only changes of the given application, and moves the cursor past the others', async () => {
    for (const appName of ['shop', 'blog', 'shop', null]) {
      log.commit();
      log.rows.push({ ...(log.rows.pop() as Change), appName });
    }
    const reader = read(0, { app: 'shop', mode: 'normal' });
    await time.pass(10);
    expect([reader.seen, await reader.ended]).toEqual([[1, 3], 4]);
  });

  it('yields a heartbeat when nothing happens, and a timeout at its end', async () => {
    const reader = read(0, { heartbeatMs: 1_000, endsAt: 3_500 });
    await time.pass(4_000);
    expect(reader.events).toEqual(['heartbeat', 'heartbeat', 'heartbeat', 'timeout']);
  });

  it('ends after the existing changes in mode normal, and after the first changes in mode longpoll', async () => {
    const empty = read(0, { mode: 'normal' });
    const poll = read(0, { mode: 'longpoll' });
    await time.pass(100);
    expect(empty.events).toEqual(['done']);
    expect(poll.events).toEqual([]);
    log.commit();
    signals.notify('ann', 1);
    await time.pass(100);
    expect([poll.seen, poll.events.at(-1)]).toEqual([[1], 'done']);
  });

  it('ends after limit changes, with the cursor of the last one', async () => {
    for (let row = 0; row < 5; row += 1) log.commit();
    const reader = read(0, { limit: 3 });
    await time.pass(100);
    expect(reader.seen).toEqual([1, 2, 3]);
    expect(await reader.ended).toBe(3);
  });
});

it('a reader that waits ends as soon as its client has gone', async () => {
  const feed = new Feed({ log: new GrowingLog(), signals: memorySignals(), clock: systemClock }, 'ann', 0);
  const client = new AbortController();
  const ports = { clock: systemClock, login: LASTING_LOGIN };
  const wanted = { since: 0, mode: 'continuous', limit: 9, app: null, heartbeatMs: 60_000 } as const;
  const reader = follow(feed, { ...wanted, endsAt: Date.now() + 60_000, gone: client.signal }, ports);
  const next = reader.next();
  await setImmediate();
  client.abort();
  expect(await next).toMatchObject({ value: { kind: 'timeout' } });
  expect(await reader.next()).toMatchObject({ done: true });
  feed.close();
});
