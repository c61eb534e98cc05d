import { beforeEach, describe, expect, it } from 'vitest';
import { sweep as sweepLog } from '../../../../functions/sweep/sweep.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT, append, checked, MINUTE, repository, sha } from '../../../support/entries.ts';

function world() {
  const clock = memoryClock(AT);
  const log = memoryLog();
  const queue = memoryQueue();
  const traced: unknown[] = [];
  const trace = (event: string, fields: object) => void traced.push({ event, ...fields });
  const ports = { log, facts: log, backlog: log, queue, clock, holdMinutes: 60, trace };
  return { ...ports, traced, sweep: (everything = false) => sweepLog(ports, everything), ports };
}

const named = (name: string) => ({ ...repository, name });
const held = { ...checked, status: 'held' } as const;

let { log, queue, clock, sweep, traced } = world();
beforeEach(() => {
  ({ log, queue, clock, sweep, traced } = world());
});

describe('the sweeper', () => {
  it('ignores entries that are not due or have ended', async () => {
    await append(log);
    await append(log, { status: 'skipped' });
    clock.pass(MINUTE - 1);
    expect(await sweep()).toBe(0);
    expect(queue.sent).toEqual([]);
  });

  it('queues the current stage of an entry that no worker has claimed', async () => {
    await append(log);
    await append(log, { ...checked, stage: 'upload' });
    clock.pass(MINUTE);
    expect(await sweep()).toBe(2);
    expect(queue.sent.map(({ number, stage }) => `${number} ${stage}`)).toEqual(['1 check', '2 upload']);
  });

  it('looks at an entry that it queued again only after five minutes', async () => {
    await append(log);
    clock.pass(MINUTE);
    await sweep();
    clock.pass(4 * MINUTE);
    expect(await sweep()).toBe(0);
    clock.pass(MINUTE);
    await sweep();
    expect(queue.sent).toHaveLength(2);
  });

  it('queues in the order in which the entries were accepted, whichever is longer overdue', async () => {
    await append(log, {}, { dueAt: AT + 2 * MINUTE });
    await append(log, {}, { dueAt: AT + MINUTE });
    clock.pass(2 * MINUTE);
    await sweep();
    expect(queue.sent.map(({ number }) => number)).toEqual([1, 2]);
  });

  it('works on ten repositories at a time, and on one entry of a repository at a time, in their order', async () => {
    for (let entry = 0; entry < 40; entry += 1) await append(log, { repository: named(`shop-${entry % 20}`) });
    let [running, most] = [0, 0];
    const send = queue.send.bind(queue);
    queue.send = async (job) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      await send(job);
    };
    clock.pass(MINUTE);
    expect(await sweep()).toBe(40);
    expect(most).toBe(10);
    const numbersOf = (name: string) =>
      queue.sent.filter(({ group }) => group.endsWith(name)).map(({ number }) => number);
    expect(queue.sent).toHaveLength(40);
    expect([numbersOf('shop-0'), numbersOf('shop-19')]).toEqual([
      [1, 21],
      [20, 40],
    ]);
  });

  it('looks at far more than a page at once', async () => {
    for (let entry = 0; entry < 250; entry += 1) await append(log);
    clock.pass(MINUTE);
    expect(await sweep()).toBe(250);
    expect(queue.sent.map(({ number }) => number)).toEqual(Array.from({ length: 250 }, (_, place) => place + 1));
  });

  it('begins no page after four minutes, and leaves the rest to the next run', async () => {
    for (let count = 0; count < 250; count += 1) await append(log, { repository: named(`app-${count}`) });
    clock.pass(MINUTE);
    const { read } = log;
    log.read = async (...of) => {
      clock.pass(1500);
      return read.apply(log, of);
    };
    expect([await sweep(true), queue.sent.length]).toEqual([200, 200]);
  });

  it('continues with the next entry when one fails', async () => {
    await append(log);
    await append(log);
    const read = log.read.bind(log);
    log.read = async (user, number) => {
      if (number === 1) throw new Error('The database is away.');
      return read(user, number);
    };
    clock.pass(MINUTE);
    await sweep();
    expect(queue.sent.map(({ number }) => number)).toEqual([2]);
    expect(traced).toMatchObject([{ event: 'sweep failed', number: 1 }]);
  });
});

describe('a deploy that is late', () => {
  it('raises an alarm after seventy minutes without a step, and not before', async () => {
    await append(log);
    clock.pass(69 * MINUTE);
    await sweep();
    expect(traced).toEqual([]);
    clock.pass(5 * MINUTE);
    await sweep();
    expect(traced).toMatchObject([{ event: 'deploy late', number: 1, stage: 'check' }]);
  });
});

describe('a hold that is not released', () => {
  it('expires after its time with a reason and a commit status, and its commit is no longer held', async () => {
    await append(log, held, { dueAt: AT + 60 * MINUTE });
    await log.move('ann', 1, (entry) => ({ entry, commitState: { held: 1 }, dueAt: AT + 60 * MINUTE }));
    clock.pass(60 * MINUTE);
    await sweep();
    expect(await log.read('ann', 1)).toMatchObject({
      status: 'expired',
      reason: 'No CI provider called with a passed build within 60 minutes.',
      finishedAt: AT + 60 * MINUTE,
      error: null,
    });
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
    expect(queue.sent).toEqual([]);
    expect((await log.commitState('ann', { ...repository, sha: sha('a') }, 'master')).held).toBeNull();
  });

  it('expires when its user was told, also when the minutes of a hold were changed since', async () => {
    await append(log, { ...held, expiresAt: AT + 90 * MINUTE }, { dueAt: AT + 60 * MINUTE });
    clock.pass(60 * MINUTE);
    await sweep();
    expect((await log.read('ann', 1))?.status).toBe('held');
    clock.pass(30 * MINUTE);
    await sweep();
    const reason = 'No CI provider called with a passed build within 90 minutes.';
    expect(await log.read('ann', 1)).toMatchObject({ status: 'expired', reason });
  });

  it('is postponed to its end when it is looked at too early', async () => {
    await append(log, held, { dueAt: AT + MINUTE });
    clock.pass(MINUTE);
    await sweep();
    expect((await log.read('ann', 1))?.status).toBe('held');
    expect(await log.due(AT + 60 * MINUTE - 1, 10)).toEqual([]);
    expect(await log.due(AT + 60 * MINUTE, 10)).toHaveLength(1);
  });

  it.each([
    ['passed', { status: 'running', stage: 'check', reason: null }],
    ['failed', { status: 'skipped', reason: 'CI did not pass: the check "unit" of travis said "failed".' }],
    ['pending', { status: 'expired' }],
    ['neutral', { status: 'expired' }],
  ] as const)('does as CI has said, when nobody did after the result was stored: %s', async (outcome, becomes) => {
    await append(log, held, { dueAt: AT + 60 * MINUTE });
    const checkResult = { provider: 'travis', check: 'unit', outcome, state: outcome };
    await append(log, { status: 'skipped' }, { checkResult });
    clock.pass(60 * MINUTE);
    await sweep();
    expect(await log.read('ann', 1)).toMatchObject(becomes);
    expect(queue.sent).toHaveLength(outcome === 'passed' ? 1 : 0);
  });

  it('does not expire when it was released at the same time', async () => {
    await append(log, held, { dueAt: AT + 60 * MINUTE });
    const read = log.read.bind(log);
    log.read = async (user, number) => {
      const entry = await read(user, number);
      log.read = read;
      await log.move(user, number, () => ({ changes: { status: 'running' }, dueAt: clock.now() + MINUTE }));
      return entry;
    };
    clock.pass(60 * MINUTE);
    await sweep();
    expect((await log.read('ann', 1))?.status).toBe('running');
    expect(queue.reports).toEqual([]);
  });
});

describe('a deploy that does not move', () => {
  it('ends after two hours with the code of its stage and a commit status', async () => {
    await append(log, { ...checked, stage: 'extract' });
    clock.pass(120 * MINUTE + 1);
    await sweep();
    expect(await log.read('ann', 1)).toMatchObject({ status: 'error', error: { code: 'deploy:tar:extract_failed' } });
    expect(queue.reports).toHaveLength(1);
    expect(queue.sent).toEqual([]);
  });

  it('does not end when it moved at the same time', async () => {
    await append(log, { ...checked, stage: 'extract' });
    const move = log.move.bind(log);
    log.move = async (user, number, step) => {
      log.move = move;
      await move(user, number, () => ({ changes: { stage: 'start' }, dueAt: clock.now() + MINUTE }));
      return move(user, number, step);
    };
    clock.pass(120 * MINUTE + 1);
    await sweep();
    expect(await log.read('ann', 1)).toMatchObject({ status: 'running', stage: 'start' });
  });
});

describe('a commit status that was not set', () => {
  /** A deploy that has ended, and whose report was lost. */
  async function ended() {
    const made = world();
    await append(made.log, { ...checked, stage: 'start' });
    await made.log.move('ann', 1, () => ({ changes: { status: 'ok', updatedAt: AT, finishedAt: AT } }));
    return made;
  }

  it('is reported again a minute after the end, and every twenty minutes then', async () => {
    const { queue, clock, sweep } = await ended();
    expect(await sweep()).toBe(0);
    clock.pass(MINUTE);
    await sweep();
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
    clock.pass(19 * MINUTE);
    expect(await sweep()).toBe(0);
    clock.pass(MINUTE);
    await sweep();
    expect(queue.reports).toHaveLength(2);
    expect(queue.sent).toEqual([]);
  });

  it('is reported no more after it was set', async () => {
    const { log, queue, clock, sweep } = await ended();
    await log.close({ user: 'ann', number: 1, seq: 2 });
    clock.pass(MINUTE);
    expect(await sweep()).toBe(0);
    expect(queue.reports).toEqual([]);
  });

  it('raises an alarm when it is not set after half an hour', async () => {
    const { clock, traced, sweep } = await ended();
    clock.pass(30 * MINUTE + 1);
    await sweep();
    expect(traced).toMatchObject([{ event: 'commit status late', number: 1 }]);
  });

  it('is given up after a day, and traced', async () => {
    const { log, queue, clock, traced, sweep } = await ended();
    clock.pass(24 * 60 * MINUTE + 1);
    await sweep();
    expect(queue.reports).toEqual([]);
    expect(traced).toMatchObject([{ event: 'commit status given up', number: 1 }]);
    expect(await log.due(Number.MAX_SAFE_INTEGER, 10)).toEqual([]);
  });
});

describe('a sweep of everything, after the queues were lost', () => {
  it('queues entries that are not due yet, and frees the leases of lost workers', async () => {
    await append(log, { ...checked, stage: 'fetch' });
    const turn = {
      user: 'ann',
      number: 1,
      stage: 'fetch',
      now: AT,
      leaseUntil: AT + 5 * MINUTE,
      dueAt: AT + 6 * MINUTE,
    } as const;
    await log.claim(turn);
    expect(await sweep(true)).toBe(1);
    expect(queue.sent).toHaveLength(1);
    expect(await log.claim({ ...turn, now: clock.now() })).toMatchObject({ outcome: 'claimed' });
  });

  it('has the commit statuses reported of what has ended and of what is pending', async () => {
    await append(log, { ...checked, stage: 'start' });
    await log.move('ann', 1, () => ({ changes: { status: 'ok' } }));
    await append(log, held, { dueAt: AT + 60 * MINUTE });
    await append(log, { ...checked, stage: 'fetch' });
    await append(log);
    await sweep(true);
    expect(queue.reports.map(({ number }) => number).sort()).toEqual([1, 2, 3]);
  });

  it('ends no deploy, however long the service was down', async () => {
    await append(log, { ...checked, stage: 'fetch' });
    clock.pass(24 * 60 * MINUTE);
    await sweep(true);
    expect((await log.read('ann', 1))?.status).toBe('running');
    expect(queue.sent).toHaveLength(1);
  });
});
