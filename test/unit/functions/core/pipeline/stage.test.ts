import { describe, expect, it } from 'vitest';
import type { Entry } from '../../../../../functions/core/entry/entry.ts';
import { DeployError } from '../../../../../functions/core/errors.ts';
import type { StageName } from '../../../../../functions/core/pipeline/pipeline.ts';
import { runStage } from '../../../../../functions/core/pipeline/stage.ts';
import { MAX_ATTEMPTS, tookTooLong } from '../../../../../functions/core/pipeline/stage-failure.ts';
import type { StageOutcome, StageWork } from '../../../../../functions/core/pipeline/stage-work.ts';
import { memoryClock, memoryIds } from '../../../../fakes/clock.ts';
import { memoryLog } from '../../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../../fakes/job-queue.ts';
import { AT, append, checked, MINUTE, type Patch, SECOND } from '../../../../support/entries.ts';

/** A log with one entry, and a way to run a stage for it. */
async function world(patch: Patch = {}) {
  const clock = memoryClock(AT);
  const ids = memoryIds();
  const log = memoryLog(ids);
  const queue = memoryQueue();
  const traced: unknown[] = [];
  await append(log, patch);
  return {
    log,
    queue,
    clock,
    traced,
    job: { user: 'ann', number: 1 },
    run(work: StageWork, stage: StageName = patch.stage ?? 'check') {
      const trace = (event: string, fields: object) => void traced.push({ event, ...fields });
      return runStage({ user: 'ann', number: 1 }, { stage, work, log, queue, clock, ids, retryBaseSeconds: 30, trace });
    },
    async now(): Promise<Entry> {
      const entry = await log.read('ann', 1);
      if (!entry) throw new Error('The entry is gone.');
      return entry;
    },
    statuses: async () => (await log.changes('ann', 0, 100)).map(({ status }) => status),
  };
}

const done = async (): Promise<StageOutcome> => ({ kind: 'done' });
const never = async (): Promise<StageOutcome> => {
  throw new Error('This stage must not be worked on.');
};
const broken =
  (retry: boolean, more: { retryAfter?: number } = {}) =>
  async (): Promise<StageOutcome> => {
    throw new DeployError('deploy:repohost:download_tarball', 'The host is away.', { retry, ...more });
  };

describe('a stage that is done', () => {
  it('makes a queued entry running, writes the result of the work, and queues the next stage', async () => {
    const { run, queue, now, statuses } = await world();
    const verdict = await run(async () => ({
      kind: 'done',
      transition: { changes: { appName: 'shop' } },
      detail: 'shop 1.0.0',
    }));
    expect(verdict).toEqual({ done: true });
    expect(queue.sent).toEqual([{ user: 'ann', number: 1, stage: 'fetch', group: 'ann/entry/1' }]);
    expect(await statuses()).toEqual(['queued', 'running', 'running']);
    expect(await now()).toMatchObject({
      stage: 'fetch',
      appName: 'shop',
      stages: [{ name: 'check', status: 'done', startedAt: AT, finishedAt: AT, attempts: 1, detail: 'shop 1.0.0' }],
    });
  });

  it('queues the commit status once the name of the application is known, and not before', async () => {
    const { run, queue } = await world();
    await run(async () => {
      expect(queue.reports).toEqual([]);
      return { kind: 'done', transition: { changes: { appName: 'shop' } } };
    });
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
  });

  it('ends the deploy when it was the last one, and reports that', async () => {
    const { run, queue, now, clock } = await world({ ...checked, stage: 'start' });
    await run(async () => {
      clock.pass(5 * SECOND);
      return { kind: 'done', transition: { changes: { url: 'https://shop.example.com' } } };
    });
    expect(await now()).toMatchObject({ status: 'ok', finishedAt: AT + 5 * SECOND, url: 'https://shop.example.com' });
    expect(queue.sent).toEqual([]);
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
  });

  it('removes the reason of a failed attempt before it', async () => {
    const { run, now, clock } = await world({ ...checked, stage: 'fetch' });
    await run(broken(true));
    expect((await now()).reason).toContain('The host is away.');
    clock.pass(MINUTE);
    await run(done);
    expect((await now()).reason).toBeNull();
  });
});

describe('a message that is received again', () => {
  it('queues the next stage again when the stage is done and the next has not moved', async () => {
    const { run, queue } = await world({ ...checked, stage: 'fetch' });
    await run(done);
    expect(await run(never, 'fetch')).toEqual({ done: true });
    expect(queue.sent.map(({ stage }) => stage)).toEqual(['upload', 'upload']);
  });

  it('sends nothing when the deploy is at a later stage, because no message was lost', async () => {
    const { run, queue } = await world({ ...checked, stage: 'fetch' });
    await run(done, 'fetch');
    await run(done, 'upload');
    await run(never, 'fetch');
    expect(queue.sent.map(({ stage }) => stage)).toEqual(['upload', 'extract']);
  });

  it('waits for the end of the lease of another worker', async () => {
    const { run, clock } = await world();
    await run(async () => {
      clock.pass(10 * SECOND);
      expect(await run(never)).toEqual({ done: false, visibleInSeconds: 51 });
      return { kind: 'done' };
    });
  });

  it('takes over an expired lease of a crashed worker, and counts the attempt', async () => {
    const { run, log, now, job, clock } = await world();
    await log.claim({ ...job, stage: 'check', now: AT, leaseUntil: AT + MINUTE, dueAt: AT + 2 * MINUTE });
    clock.pass(MINUTE + 1);
    await run(done);
    expect((await now()).stages).toMatchObject([{ name: 'check', status: 'done', attempts: 2 }]);
  });

  it('does not change a deploy that has ended, and queues its commit status again', async () => {
    const { run, queue, statuses } = await world({ ...checked, stage: 'start' });
    await run(done);
    expect(await run(never, 'start')).toEqual({ done: true });
    expect(await statuses()).toEqual(['running', 'ok']);
    expect(queue.reports).toHaveLength(2);
  });

  it('does not queue the commit status again for an earlier stage', async () => {
    const { run, queue } = await world({ ...checked, stage: 'start' });
    await run(done);
    await run(never, 'fetch');
    expect(queue.reports).toHaveLength(1);
  });

  it('is ignored when its entry does not exist', async () => {
    const { log, queue, clock } = await world();
    const context = { log, queue, clock, ids: memoryIds(), retryBaseSeconds: 30, trace: () => {} };
    const verdict = await runStage({ user: 'ann', number: 99 }, { ...context, stage: 'check', work: never });
    expect(verdict).toEqual({ done: true });
  });
});

describe('two workers on one stage, because the first was slow', () => {
  it('move the entry once, and the second sends nothing', async () => {
    const { run, queue, clock, now } = await world({ ...checked, stage: 'fetch' });
    await run(async () => {
      clock.pass(10 * MINUTE);
      await run(done);
      return { kind: 'done' };
    });
    expect(queue.sent.map(({ stage }) => stage)).toEqual(['upload']);
    expect((await now()).stage).toBe('upload');
  });

  it('do not turn a success into a failure', async () => {
    const { run, clock, now } = await world({ ...checked, stage: 'start' });
    await run(async () => {
      clock.pass(15 * MINUTE);
      await run(done);
      throw new DeployError('deploy:platform:start_app', 'Too late.');
    });
    expect((await now()).status).toBe('ok');
  });

  it('do not change an entry that ended before the work began', async () => {
    const { run, log, statuses } = await world();
    const { claim } = log;
    log.claim = async (turn) => {
      const taken = await claim.call(log, turn);
      await log.move('ann', 1, () => ({ changes: { status: 'error', finishedAt: AT } }));
      return taken;
    };
    await run(done);
    expect(await statuses()).toEqual(['queued', 'error']);
  });
});

describe('a failure', () => {
  it('that is not retryable ends the deploy at once with code, status, detail and commit status', async () => {
    const { run, queue, now, traced } = await world({ ...checked, stage: 'fetch' });
    expect(await run(broken(false))).toEqual({ done: true });
    expect(await now()).toMatchObject({
      status: 'error',
      reason: 'The host is away.',
      error: { code: 'deploy:repohost:download_tarball', status: 502, detail: 'The host is away.' },
      stages: [{ name: 'fetch', status: 'failed', detail: 'The host is away.' }],
      finishedAt: AT,
    });
    expect(queue.reports).toEqual([{ user: 'ann', number: 1 }]);
    expect(traced).toMatchObject([{ event: 'stage failed', stage: 'fetch' }]);
  });

  it('that is retryable is retried with growing delays, and ends the deploy after five attempts', async () => {
    const { run, clock, now } = await world({ ...checked, stage: 'fetch' });
    const waits: number[] = [];
    for (let verdict = await run(broken(true)); !verdict.done; verdict = await run(broken(true))) {
      expect((await now()).status).toBe('running');
      waits.push(verdict.visibleInSeconds);
      clock.pass(verdict.visibleInSeconds * SECOND);
    }
    // Half of 30 s, 60 s, 120 s and 240 s: the jitter of these tests.
    expect(waits).toEqual([15, 30, 60, 120]);
    expect(await now()).toMatchObject({ status: 'error', stages: [{ attempts: MAX_ATTEMPTS }] });
  });

  it('is the reason of the entry between two attempts, with the time of the next', async () => {
    const { run, now } = await world({ ...checked, stage: 'fetch' });
    await run(broken(true));
    expect((await now()).reason).toBe('The host is away. Trying again in 15 s (try 1 of 5).');
  });

  it('is retried after the delay that the remote service asked for, at most an hour', async () => {
    const first = await world({ ...checked, stage: 'fetch' });
    expect(await first.run(broken(true, { retryAfter: 600 }))).toEqual({ done: false, visibleInSeconds: 600 });
    const second = await world({ ...checked, stage: 'fetch' });
    expect(await second.run(broken(true, { retryAfter: 86_400 }))).toEqual({ done: false, visibleInSeconds: 3600 });
  });

  it('is not due for the sweeper before the next attempt', async () => {
    const { run, log, clock } = await world({ ...checked, stage: 'fetch' });
    await run(broken(true, { retryAfter: 600 }));
    clock.pass(600 * SECOND);
    expect(await log.due(clock.now(), 10)).toEqual([]);
    clock.pass(MINUTE);
    expect(await log.due(clock.now(), 10)).toEqual([{ user: 'ann', number: 1 }]);
  });

  it('without a code gets the code of its stage, is retried, and its cause is only logged', async () => {
    const { run, now, traced } = await world({ ...checked, stage: 'upload' });
    const cause = new Error('getaddrinfo ENOTFOUND internal.example.com');
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await run(async () => {
        throw cause;
      });
    }
    expect((await now()).error).toEqual({
      code: 'deploy:platform:upload_tarball',
      status: 502,
      detail: 'The service failed in the stage "upload".',
    });
    expect(traced).toContainEqual(expect.objectContaining({ error: cause }));
  });

  it('calls the stage "extract" the build, as people do', () => {
    expect(tookTooLong('extract', 5000).detail).toBe('The stage "build" was not done within 5 seconds.');
  });

  it('keeps the results of the work before it', async () => {
    const { run, now } = await world();
    const error = new DeployError('deploy:repohost:no_pkg_json', 'package.json has no name.', { retry: false });
    await run(async () => ({ kind: 'failed', error, transition: { changes: { appName: 'shop' } } }));
    expect(await now()).toMatchObject({ status: 'error', appName: 'shop' });
  });

  it('masks secrets and limits the log of the platform', async () => {
    const { run, now } = await world({ ...checked, stage: 'extract' });
    await run(async () => {
      throw new DeployError(
        'deploy:tar:extract_failed',
        `npm ERR! https://ann:hunter2@npm.example.com ${'x'.repeat(5000)}`,
        {
          logTail: Array.from({ length: 500 }, () => `NPM_TOKEN=hunter2 ${'y'.repeat(2000)}`),
        },
      );
    });
    const text = JSON.stringify(await now());
    expect(text).not.toContain('hunter2');
    expect(text).toContain('NPM_TOKEN=***');
    expect(text.length).toBeLessThan(30_000);
  });
});

describe('a worker that crashes each time', () => {
  it.each([
    ['of a deploy that runs', { ...checked, stage: 'upload' }, 'deploy:platform:upload_tarball'],
    ['before the entry is running', { stage: 'check' }, 'deploy:repohost:no_pkg_json'],
  ] as const)('%s ends the deploy with the code of the stage after five attempts', async (_, patch, code) => {
    const { run, log, clock, job, now, queue } = await world(patch);
    for (let crash = 0; crash < MAX_ATTEMPTS; crash += 1) {
      const leaseUntil = clock.now() + MINUTE;
      await log.claim({ ...job, stage: patch.stage, now: clock.now(), leaseUntil, dueAt: leaseUntil });
      clock.pass(MINUTE + 1);
    }
    expect(await run(never)).toEqual({ done: true });
    expect(await now()).toMatchObject({ status: 'error', error: { code } });
    expect(queue.reports).toHaveLength(1);
  });
});

describe('a stage that is not done yet', () => {
  it('runs again without counting the attempt', async () => {
    const { run, now } = await world({ ...checked, stage: 'extract' });
    for (let slice = 0; slice < 20; slice += 1) {
      expect(await run(async () => ({ kind: 'again', afterSeconds: 1 }))).toEqual({ done: false, visibleInSeconds: 1 });
    }
    await run(done);
    expect((await now()).stages).toMatchObject([{ name: 'extract', attempts: 1 }]);
  });

  it('is no change in the feed', async () => {
    const { run, statuses } = await world({ ...checked, stage: 'extract' });
    await run(async () => ({ kind: 'again', afterSeconds: 1 }));
    expect(await statuses()).toEqual(['running']);
  });

  it('is done with its message when an event will queue it again, and can be claimed at once', async () => {
    const { run, queue, now } = await world({ ...checked, stage: 'extract' });
    for (let event = 0; event < 20; event += 1) {
      expect(await run(async () => ({ kind: 'waits', atMostSeconds: 120 }))).toEqual({ done: true });
    }
    expect(queue.sent).toEqual([]);
    await run(done);
    expect((await now()).stages).toMatchObject([{ name: 'extract', attempts: 1 }]);
  });
});

describe('a stage that finds the work of an earlier one gone', () => {
  const back = async (): Promise<StageOutcome> => ({ kind: 'back', to: 'fetch', detail: 'The tarball is gone.' });

  it('runs the earlier stage again', async () => {
    const { run, queue, now } = await world({ ...checked, stage: 'upload' });
    await run(back);
    expect(queue.sent.map(({ stage }) => stage)).toEqual(['fetch']);
    expect(await now()).toMatchObject({
      stage: 'fetch',
      status: 'running',
      stages: [{ name: 'upload', status: 'failed' }],
    });
  });

  it('ends the deploy when the result keeps disappearing', async () => {
    const { run, now } = await world({ ...checked, stage: 'upload' });
    for (let round = 0; round <= MAX_ATTEMPTS; round += 1) {
      expect((await now()).status).toBe('running');
      await run(back, 'upload');
      await run(done, 'fetch');
    }
    expect(await now()).toMatchObject({ status: 'error', error: { code: 'deploy:repohost:download_tarball' } });
  });
});

describe('an entry that ends or waits for a reason that is no failure', () => {
  it('has a reason, and its commit status is queued', async () => {
    const { run, now, queue } = await world();
    await run(async () => ({ kind: 'ended', status: 'superseded', reason: 'A newer commit came.' }));
    expect(await now()).toMatchObject({
      status: 'superseded',
      reason: 'A newer commit came.',
      finishedAt: AT,
      error: null,
    });
    expect(queue.reports).toHaveLength(1);
    expect(queue.sent).toEqual([]);
  });

  it('has no finishedAt while it is held', async () => {
    const { run, now } = await world();
    await run(async () => ({ kind: 'ended', status: 'held', reason: 'Waiting for CI.' }));
    expect(await now()).toMatchObject({ status: 'held', finishedAt: null });
  });

  it('runs again at once when a check result arrived in the meantime', async () => {
    const { run, log, now } = await world();
    const verdict = await run(async () => {
      const outcome = { provider: 'travis', check: 'Travis CI', outcome: 'passed', state: 'Passed' } as const;
      await append(log, { kind: 'build', provider: 'travis' }, { isNewestPush: false, checkResult: outcome });
      return { kind: 'ended', status: 'held', reason: 'Waiting for CI.', transition: { ifCommitVersion: 0 } };
    });
    expect(verdict).toEqual({ done: false, visibleInSeconds: 0 });
    expect((await now()).status).toBe('running');
    await run(done);
    expect((await now()).stages).toMatchObject([{ attempts: 1 }]);
  });
});

describe('a queue that fails', () => {
  it('keeps the message, and the next receive sends the next stage', async () => {
    const { run, queue, now } = await world({ ...checked, stage: 'fetch' });
    const { send } = queue;
    queue.send = async () => {
      throw new Error('The queue is away.');
    };
    await expect(run(done)).rejects.toThrow('The queue is away.');
    queue.send = send;
    expect(await run(never, 'fetch')).toEqual({ done: true });
    expect(queue.sent.map(({ stage }) => stage)).toEqual(['upload']);
    expect((await now()).stage).toBe('upload');
  });

  it('that would end an older deploy sends the next stage only when that is written, and is repeated until then', async () => {
    const { run, queue, log } = await world();
    await append(log, { status: 'running', stage: 'extract' });
    const { move } = log;
    log.move = async (user, number, decide) => {
      if (number === 2) throw new Error('The disk is full.');
      return move(user, number, decide);
    };
    const follows = async (): Promise<StageOutcome> => ({ kind: 'done', transition: { changes: { follows: 2 } } });
    await expect(run(follows)).rejects.toThrow('The disk is full.');
    expect(queue.sent).toEqual([]);
    log.move = move;
    await run(never);
    expect(queue.sent.map(({ stage }) => stage)).toEqual(['fetch']);
    expect((await log.read('ann', 2))?.status).toBe('superseded');
  });
});
