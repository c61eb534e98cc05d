import { beforeEach, describe, expect, it } from 'vitest';
import type { AppEvent } from '../../../../functions/core/ports/app-event.ts';
import type { AppEventCursor } from '../../../../functions/core/ports/applications.ts';
import { watchApps } from '../../../../functions/watch-apps/watch.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memoryQueue } from '../../../fakes/job-queue.ts';
import { AT, append, MINUTE } from '../../../support/entries.ts';

const crash: Omit<AppEvent, 'seq'> = {
  user: 'ann',
  app: 'ann-shop',
  snapshot: '1.0.0-1',
  state: 'crashed',
  reason: 'The application crashed too often (exited with code 1).',
  log: ['listening', 'TOKEN=abc', 'Error: no memory\u202e'],
};
const recovery = { ...crash, state: 'running', reason: null, log: [] } as const;

/** A log in which deploys 1 to `deploys` of `@ann/shop` have gone live, and a platform that says these events. */
async function world(deploys = 1) {
  const log = memoryLog();
  const queue = memoryQueue();
  const clock = memoryClock(AT + MINUTE);
  const said: AppEvent[] = [];
  const traced: string[] = [];
  const cursor = memoryCursor();
  const events = {
    after: async (seq: number) => ({ events: said.filter((event) => event.seq > seq), last: said.at(-1)?.seq ?? 0 }),
  };
  const deploy = async () => {
    const { number } = await append(log);
    const changes = { appName: '@ann/shop', snapshot: `1.0.0-${number}`, url: 'http://shop', finishedAt: AT } as const;
    return log.move('ann', number, () => ({ changes: { ...changes, status: 'ok' }, activates: true }));
  };
  for (let number = 1; number <= deploys; number += 1) await deploy();
  const trace = (event: string) => void traced.push(event);
  const looks: string[] = [];
  const health = {
    ended: async ({ stream }: { stream: string }) => void looks.push(stream),
    recheck: async () => void looks.push('recheck'),
  };
  const cron = { runDue: async () => void looks.push('due') };
  const incident = async () => {};
  const ports = { log, appFacts: log, queue, clock, events, cursor, trace, health, cron, incident };
  return {
    ...ports,
    said,
    traced,
    deploy,
    say: (event: Omit<AppEvent, 'seq'>) => void said.push({ ...event, seq: (said.at(-1)?.seq ?? 0) + 1 }),
    looks,
    watch: (more: Partial<typeof ports> = {}) => watchApps({ ...ports, ...more }),
    ended: () => watchApps(ports, { group: 'shop', stream: '[1]' }),
    entry: async (number = 1) => log.read('ann', number),
  };
}

let { say, said, entry, cursor, traced, ended, looks, watch, log, queue, clock } = {} as Awaited<
  ReturnType<typeof world>
>;
beforeEach(async () => {
  ({ say, said, entry, cursor, traced, ended, looks, watch, log, queue, clock } = await world());
});

describe('a restart that is taken back', () => {
  it('makes its entry crashed when it has ended, and not that of the deploy', async () => {
    const { number } = await append(log, { appName: '@ann/shop', kind: 'operation', operation: 'restart' });
    say({ ...crash, restart: number });
    await watch();
    expect(await entry(number)).toMatchObject({ status: 'queued' });
    await log.move('ann', number, () => ({ changes: { status: 'ok', finishedAt: AT } }));
    await watch();
    await watch();
    expect(await entry(number)).toMatchObject({ status: 'crashed', reason: crash.reason });
    expect(await entry(1)).toMatchObject({ status: 'ok' });
  });
});

describe('an application that crashes after its deploy', () => {
  it('makes its entry crashed, with the reason and the masked last lines', async () => {
    say(crash);
    expect(await watch()).toBe(1);
    expect(await entry()).toMatchObject({
      status: 'crashed',
      reason: crash.reason,
      logTail: ['listening', 'TOKEN=***', expect.stringContaining('Error: no memory')],
      url: 'http://shop',
      finishedAt: AT,
      updatedAt: AT + MINUTE,
    });
    expect(await log.badge('ann', 'shop')).toBe('crashed');
    expect((await log.changes('ann', 0, 100)).map(({ status }) => status)).toEqual(['queued', 'ok', 'crashed']);
    expect(queue.reports).toEqual([expect.objectContaining({ number: 1 })]);
  });

  it('makes it ok again when it answers again', async () => {
    say(crash);
    await watch();
    say(recovery);
    await watch();
    expect(await entry()).toMatchObject({ status: 'ok', reason: null, logTail: [] });
    expect(await log.badge('ann', 'shop')).toBe('ok');
    expect(queue.reports).toHaveLength(2);
  });

  it('shows the failure of a later deploy on the badge when it answers again', async () => {
    await append(log);
    await log.move('ann', 2, () => ({ changes: { status: 'error' } }));
    say(crash);
    say(recovery);
    await watch();
    expect(await log.badge('ann', 'shop')).toBe('failed');
  });

  it('has the deploy before it run again where the platform says so, also when it is read twice', async () => {
    const { say, watch, entry, log, cursor } = await world(2);
    say({ ...crash, snapshot: '1.0.0-2', serves: '1.0.0-1' });
    await watch();
    cursor.at = 0;
    await watch();
    expect([await entry(1), await entry(2)]).toMatchObject([
      { status: 'ok' },
      { status: 'crashed', reason: crash.reason },
    ]);
    expect(await log.active('ann', '@ann/shop')).toBe(1);
    say(crash);
    await watch();
    expect(await entry(1)).toMatchObject({ status: 'crashed' });
  });

  it('changes nothing the second time, whichever run reads the event again', async () => {
    say(crash);
    say(recovery);
    await watch();
    cursor.at = 0;
    await watch();
    expect((await log.changes('ann', 0, 100)).map(({ status }) => status)).toEqual(['queued', 'ok', 'crashed', 'ok']);
  });

  it('never changes a newer deploy', async () => {
    const { say, watch, entry } = await world(2);
    say(crash);
    await watch();
    expect([await entry(1), await entry(2)]).toMatchObject([{ status: 'ok' }, { status: 'ok' }]);
    say({ ...crash, snapshot: '1.0.0-2' });
    await watch();
    expect([await entry(1), await entry(2)]).toMatchObject([{ status: 'ok' }, { status: 'crashed' }]);
  });

  it('changes the rollback that runs its snapshot, not the entry that made it', async () => {
    const { say, watch, entry, log } = await world(2);
    await append(log, { appName: '@ann/shop', operation: 'rollback', snapshot: '1.0.0-1' });
    await log.move('ann', 3, () => ({ changes: { status: 'ok' }, activates: true }));
    say(crash);
    await watch();
    expect([await entry(1), await entry(3)]).toMatchObject([{ status: 'ok' }, { status: 'crashed' }]);
  });

  it('is read again later while its deploy has not ended', async () => {
    await append(log, { status: 'running', stage: 'start', appName: '@ann/shop', snapshot: '1.0.0-2' });
    say({ ...crash, app: 'other', snapshot: '1.0.0-9' });
    say({ ...crash, snapshot: '1.0.0-2' });
    await watch();
    expect(cursor.at).toBe(1);
    await log.move('ann', 2, () => ({ changes: { status: 'ok' }, activates: true }));
    await watch();
    expect(cursor.at).toBe(2);
    expect(await entry(2)).toMatchObject({ status: 'crashed' });
  });

  it('is read again later while a rollback to its snapshot has not ended', async () => {
    const { say, watch, entry, log, cursor } = await world(2);
    const rollback = { status: 'running', stage: 'start', operation: 'rollback', snapshot: '1.0.0-1' } as const;
    await append(log, { appName: '@ann/shop', ...rollback }, { overrules: 'ann-shop' });
    say(crash);
    await watch();
    expect(cursor.at).toBe(0);
    await log.move('ann', 3, () => ({ changes: { status: 'ok' }, activates: true }));
    await watch();
    expect(await entry(3)).toMatchObject({ status: 'crashed' });
  });

  it('keeps no other event from being applied when it cannot be', async () => {
    const { named } = log;
    log.named = async (user, app) => (user === 'bob' ? Promise.reject(new Error('away')) : named.call(log, user, app));
    say({ ...crash, user: 'bob' });
    say(crash);
    await watch();
    expect(await entry()).toMatchObject({ status: 'crashed' });
    expect({ at: cursor.at, traced }).toEqual({ at: 0, traced: ['event not applied'] });
  });

  it('is applied by a later run when this one has taken its time, the new ones before those that are read again', async () => {
    const { named } = log;
    const applied: string[] = [];
    log.named = async (user, app) => {
      applied.push(app);
      clock.pass(20_000);
      return named.call(log, user, app);
    };
    for (const app of ['a', 'b', 'c', 'd', 'e']) say({ ...crash, app });
    const after = async () => ({ events: [...said], last: 5 });
    await watch({ events: { after } });
    expect([applied, cursor.at]).toEqual([['a', 'b', 'c'], 3]);
    await watch({ events: { after } });
    expect([applied.slice(3), cursor.at]).toEqual([['d', 'e', 'a'], 5]);
  });

  it('is found on a platform that was set up again and counts anew', async () => {
    cursor.at = 40;
    say(crash);
    await watch();
    expect(cursor.at).toBe(1);
    expect(await entry()).toMatchObject({ status: 'crashed' });
  });
});

describe('an application that runs with something to note', () => {
  const note = { ...recovery, reason: 'Nothing that the application prints is logged.' } as const;

  it('stays ok, with the note at its start, and the operator hears of it', async () => {
    const stage = { name: 'start', status: 'done', startedAt: AT, finishedAt: AT, attempts: 1 } as const;
    const answers = { ...stage, detail: 'answers at http://shop' };
    await log.move('ann', 1, () => ({ changes: { stage: 'start', stages: [answers] } }));
    say(note);
    await watch();
    const detail = `answers at http://shop; ${note.reason}`;
    expect(await entry()).toMatchObject({ status: 'ok', reason: null, stages: [{ ...stage, detail }] });
    expect(traced).toEqual(['application with a note']);
    const { seq } = (await entry()) ?? {};
    say(note);
    await watch();
    expect(await entry()).toMatchObject({ seq, stages: [{ detail }] });
    say(crash);
    say(note);
    await watch();
    expect(await entry()).toMatchObject({ status: 'ok', reason: null, stages: [{ detail }] });
  });
});

describe('a run of the watch', () => {
  it('looks after the application of which an instance has ended, else begins what is due and looks after one that has crashed', async () => {
    await watch();
    await ended();
    expect(looks).toEqual(['due', 'recheck', '[1]']);
  });

  it('applies events also when it cannot find out about an application', async () => {
    say(crash);
    const fails = async () => Promise.reject(new Error('Lambda is away.'));
    expect(await watch({ health: { ended: fails, recheck: fails } })).toBe(1);
    expect([(await entry())?.status, traced]).toEqual(['crashed', ['application not looked after']]);
  });
});

/** Returns an in-memory fake of the cursor of the platform's events; `at` is where it stands. */
function memoryCursor(): AppEventCursor & { at: number } {
  return {
    at: 0,
    async read() {
      return this.at;
    },
    async write(seq) {
      this.at = seq;
    },
  };
}
