import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { StageJob } from '../../../../functions/core/pipeline/job.ts';
import type { RunResult } from '../../../../functions/core/pipeline/stage-context.ts';
import { type Dispatcher, dispatcher } from '../../../../lib/engine/dispatcher.ts';

const DONE: RunResult = { done: true };
const later = (visibleInSeconds: number): RunResult => ({ done: false, visibleInSeconds });

let queue: Dispatcher;
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  queue.stop();
  vi.useRealTimers();
});

/** A dispatcher whose runs are noted, and end when the test says so. */
function observed(answer: (job: StageJob) => Promise<RunResult>) {
  const begun: string[] = [];
  const traced: string[] = [];
  const told: string[][] = [];
  queue = dispatcher({
    run: async (job) => {
      begun.push(`${job.number} ${job.stage}`);
      return answer(job);
    },
    reports: { report: async () => {} },
    onBuildsWaiting: (builds) => told.push(builds.map(({ user, number }) => `${user} ${number}`)),
    trace: (event) => traced.push(event),
  });
  return { begun, traced, told };
}

/** Longer than the jobs of a burst wait for another one. */
const burstEnds = () => vi.advanceTimersByTimeAsync(30);

const job = (number: number, group = 'ann/shop', stage: StageJob['stage'] = 'check'): StageJob => ({
  user: 'ann',
  number,
  stage,
  group,
});

const build = (user: string, number: number): StageJob => ({
  user,
  number,
  stage: 'extract',
  group: `${user}/entry/${number}`,
});

/** Builds that take until the test ends one of a user. */
function builds() {
  const running: string[] = [];
  const ends: ((result: RunResult) => void)[] = [];
  observed(({ user }) => {
    running.push(user);
    return new Promise((resolve) => ends.push(resolve));
  });
  return {
    /** Their users. */
    running,
    flood: async (user: string, count: number) => {
      for (let number = 1; number <= count; number += 1) await queue.send(build(user, number));
    },
    end: async (user: string, result = DONE) => {
      const index = running.indexOf(user);
      running.splice(index, 1);
      ends.splice(index, 1)[0]?.(result);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

describe('the queues of one machine', () => {
  it('run one job of a repository at a time, oldest first, and those of others beside it', async () => {
    const ends = new Map<number, () => void>();
    const { begun } = observed(({ number }) => new Promise((resolve) => ends.set(number, () => resolve(DONE))));
    for (const one of [job(1), job(2), job(3, 'ann/cart')]) await queue.send(one);
    await burstEnds();
    expect(begun).toEqual(['1 check', '3 check']);
    ends.get(1)?.();
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['1 check', '3 check', '2 check']);
  });

  it('go on with the next stage of a deploy before the next deploy of its repository', async () => {
    const { begun } = observed(async (one) => {
      if (one.number === 1 && one.stage === 'check') await queue.send(job(1, 'ann/shop', 'fetch'));
      return DONE;
    });
    await queue.send(job(1));
    await queue.send(job(2));
    await burstEnds();
    expect(begun).toEqual(['1 check', '1 fetch', '2 check']);
  });

  it('run a job that was sent twice once, and again when it was sent during its run', async () => {
    let end: () => void = () => {};
    const { begun } = observed(
      ({ number }) =>
        new Promise((resolve) => {
          if (number !== 1) return resolve(DONE);
          end = () => resolve(DONE);
        }),
    );
    await queue.send(job(1));
    await queue.send(job(2));
    await queue.send(job(2));
    await queue.send(job(1));
    await burstEnds();
    end();
    await vi.advanceTimersByTimeAsync(1);
    expect(begun).toEqual(['1 check', '1 check']);
    end();
    await vi.advanceTimersByTimeAsync(5);
    expect(begun).toEqual(['1 check', '1 check', '2 check']);
  });

  it('let the others of the repository pass while a job pauses, and run it when its time has come', async () => {
    let tries = 0;
    const { begun } = observed(async ({ number }) => (number === 1 && tries++ === 0 ? later(30) : DONE));
    await queue.send(job(1));
    await queue.send(job(2));
    await vi.advanceTimersByTimeAsync(29_000);
    expect(begun).toEqual(['1 check', '2 check']);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(begun).toEqual(['1 check', '2 check', '1 check']);
  });

  it('try a run that threw again, later and later, and say so', async () => {
    let tries = 0;
    const { begun, traced } = observed(async () => {
      tries += 1;
      if (tries < 3) throw new Error('The log cannot be written.');
      return DONE;
    });
    await queue.send(job(1));
    await vi.advanceTimersByTimeAsync(5_000);
    expect(begun).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(begun).toHaveLength(2);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(begun).toHaveLength(3);
    expect(traced).toEqual(['stage not run', 'stage not run']);
  });

  it('run a bounded number of a stage at a time, and then those that waited', async () => {
    const ends: (() => void)[] = [];
    const { begun } = observed(() => new Promise((resolve) => ends.push(() => resolve(DONE))));
    for (let number = 1; number <= 20; number += 1) await queue.send(job(number, `ann/app-${number}`, 'fetch'));
    expect(begun).toHaveLength(4);
    while (begun.length < 20) {
      ends.shift()?.();
      await vi.advanceTimersByTimeAsync(1);
      expect(begun.length + ends.length).toBeLessThanOrEqual(begun.length + 4);
    }
  });

  it('begin the job of a lone delivery at once, and those of a burst when it ends, a continuation beside them', async () => {
    const { begun } = observed(async () => DONE);
    await queue.send(job(1));
    expect(begun).toEqual(['1 check']);
    await queue.send(job(2, 'ann/cart'));
    await vi.advanceTimersByTimeAsync(8);
    await queue.send(job(3, 'ann/blog'));
    await queue.send(job(4, 'ann/site', 'fetch'));
    await vi.advanceTimersByTimeAsync(8);
    expect(begun).toEqual(['1 check', '4 fetch']);
    await vi.advanceTimersByTimeAsync(8);
    expect(begun).toEqual(['1 check', '4 fetch', '2 check', '3 check']);
  });

  it('begin the jobs of a burst that does not end by and by, in their order, within half a second', async () => {
    const { begun } = observed(async () => DONE);
    let most = 0;
    for (let number = 1; number <= 250; number += 1) {
      await queue.send(job(number, `ann/app-${number}`));
      const before = begun.length;
      await vi.advanceTimersByTimeAsync(2);
      most = Math.max(most, begun.length - before);
      if (number <= 120) expect(begun).toEqual(['1 check']);
    }
    expect(begun).toEqual(Array.from(begun, (_, index) => `${index + 1} check`));
    expect(begun.length).toBeGreaterThan(110);
    expect(most).toBeLessThanOrEqual(3);
    await vi.advanceTimersByTimeAsync(20);
    expect(begun).toHaveLength(250);
  });

  it('give the next free place to another user, and halves to two who flood', async () => {
    const { running, flood, end } = builds();
    await flood('bob', 40);
    const places = running.length;
    await flood('ann', 40);
    expect(running).not.toContain('ann');
    await end('bob');
    expect(running.filter((user) => user === 'ann')).toHaveLength(1);
    for (let ended = 0; ended < 30; ended += 1) {
      await end(running[0] ?? '');
      expect(running).toHaveLength(places);
      if (ended >= places) expect(running.filter((user) => user === 'ann')).toHaveLength(places / 2);
    }
  });

  it('give a user who waits alone all places again', async () => {
    const { running, flood, end } = builds();
    await flood('bob', 40);
    const places = running.length;
    await flood('ann', 1);
    await end('bob');
    await end('ann');
    expect(running).toEqual(Array.from({ length: places }, () => 'bob'));
  });

  it('leave a build its place when it is asked for again at once', async () => {
    const { running, flood, end } = builds();
    await flood('bob', 40);
    const places = running.length;
    await flood('ann', 1);
    await end('bob', later(0));
    expect(running).toEqual(Array.from({ length: places }, () => 'bob'));
  });

  it('tell the builds that wait in the order of their turns, when they have waited for a second', async () => {
    const { told } = observed(() => new Promise(() => {}));
    const places = Math.max(4, 2 * availableParallelism());
    for (let number = 1; number <= places + 2; number += 1) await queue.send(build('bob', number));
    await queue.send(build('ann', 1));
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(told).toEqual([['ann 1', `bob ${places + 1}`, `bob ${places + 2}`]]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told).toHaveLength(1);
  });

  it('begin nothing after they were stopped', async () => {
    const { begun } = observed(async () => DONE);
    queue.stop();
    await queue.send(job(1));
    expect(begun).toEqual([]);
  });
});
