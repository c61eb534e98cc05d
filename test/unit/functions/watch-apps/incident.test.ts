import { beforeEach, describe, expect, it } from 'vitest';
import type { Incident } from '../../../../functions/core/ports/app-event.ts';
import { applyIncident } from '../../../../functions/watch-apps/incident.ts';
import { memoryClock, memoryIds } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { AT, append, MINUTE } from '../../../support/entries.ts';

let log: ReturnType<typeof memoryLog>;
const rows = async (user = 'ann') => (await log.page({ user, app: null, skip: 0, limit: 100 })).entries;
const tell = (incident: Incident) =>
  applyIncident(incident, { log, appFacts: log, clock: memoryClock(AT + MINUTE), ids: memoryIds() });

const failing: Incident = {
  user: 'ann',
  app: 'ann-shop',
  seq: 7,
  state: 'crashed',
  about: 'The job "node x.js" (0 3 * * *)',
  reason: 'The job "node x.js" (0 3 * * *) failed, password=hunter2.',
  log: ['Error: boom', 'token=canary-of-a-line'],
  first: 'runner 1',
};
const over: Incident = { ...failing, seq: 8, state: 'running', reason: 'It has succeeded.', log: [] };

beforeEach(async () => {
  log = memoryLog();
  const { number } = await append(log, { appName: '@ann/shop' });
  await log.move('ann', number, () => ({ changes: { status: 'ok', finishedAt: AT }, activates: true }));
});

describe('An incident', () => {
  it('is an entry of its application that is crashed, and ok when it is over, each a change once', async () => {
    for (let times = 0; times < 3; times += 1) await tell(failing);
    const [begun, deploy] = await rows();
    const shown = { status: 'crashed', appName: '@ann/shop', operation: 'incident', provider: 'service' };
    expect(begun).toMatchObject({ ...shown, sha: deploy?.sha, finishedAt: AT + MINUTE });
    expect(JSON.stringify(begun)).not.toMatch(/hunter2|canary/);
    const last = await log.last('ann');
    for (let times = 0; times < 3; times += 1) await tell(over);
    await tell(failing);
    expect(await rows()).toMatchObject([
      { number: begun?.number, status: 'ok', reason: null, message: 'It has succeeded.', logTail: [] },
      { status: 'ok' },
    ]);
    expect(await log.last('ann')).toBe(last + 1);
  });

  it('that is told anew has an entry of its own, and changes that of no deploy', async () => {
    await tell(failing);
    await tell({ ...failing, seq: 9, first: 'runner 9' });
    await tell({ ...failing, seq: 10, first: 'runner 10', app: 'gone' });
    const appNames = (await rows()).map(({ appName, status }) => [appName, status]);
    const told = ['@ann/shop', 'crashed'];
    expect(appNames).toEqual([['gone', 'crashed'], told, told, ['@ann/shop', 'ok']]);
  });

  it('of no application is of its user only', async () => {
    await tell({ ...failing, user: 'bob', app: null });
    expect(await rows('bob')).toMatchObject([{ number: 1, appName: null, sha: null }]);
    expect(await rows()).toHaveLength(1);
  });
});
