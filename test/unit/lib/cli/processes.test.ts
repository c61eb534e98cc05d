import { describe, expect, it } from 'vitest';
import { cliAt, ok, problem } from '../../../support/cli-service.ts';

const one = (name: string, more: object = {}) => ({
  ...{ name, type: name.split('.')[0], command: 'node worker.js', state: 'running' },
  ...{ since: new Date().toISOString(), restarts: 0, memory: 47 * 1024 * 1024 },
  ...more,
});
const sent = {
  processes: [
    one('web.1', { command: 'node server.js' }),
    one('worker.1', { state: 'crashed', memory: null, restarts: 4 }),
  ],
  scale: { web: 1, worker: 1 },
};

describe('ps', () => {
  it('has a line for each process', async () => {
    const { code, out, calls } = await cliAt('ps shop', [ok(sent)]);
    expect([code, calls]).toEqual([0, ['GET /1/apps/kiwi/shop/processes']]);
    expect(out.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME').split('\n')).toEqual([
      'web.1     running  since TIME  0 restarts  47 MB  node server.js',
      'worker.1  crashed  since TIME  4 restarts  -      node worker.js',
      '',
    ]);
  });

  it('has a line for each cron entry: when it runs next, and how it ended last', async () => {
    const job = { schedule: '0 3 * * *', command: 'node clean.js', running: null, last: null, next: null };
    const at = new Date().toISOString();
    const cron = [
      { ...job, name: 'cron.1', next: at, last: { at, seconds: 1.5, exit: 3 } },
      { ...job, name: 'cron.2', running: at, next: at },
      { ...job, name: 'cron.3' },
    ];
    const { out } = await cliAt('ps shop', [ok({ ...sent, cron })]);
    const lines = out
      .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'TIME')
      .replaceAll(/ {2,}/g, '  ')
      .split('\n');
    expect(lines.slice(2)).toEqual([
      'cron.1  next TIME  last TIME exit code 3  0 3 * * *  node clean.js',
      'cron.2  running since TIME  no run yet  0 3 * * *  node clean.js',
      'cron.3  -  no run yet  0 3 * * *  node clean.js',
      '',
    ]);
  });

  it('takes the application by its position or by -a, and no second one', async () => {
    expect((await cliAt('ps -a shop', [ok(sent)])).calls).toEqual(['GET /1/apps/kiwi/shop/processes']);
    expect((await cliAt('ps shop --app shop', [ok(sent)])).code).toBe(0);
    expect(await cliAt('ps shop -a cart', [])).toMatchObject({
      code: 2,
      err: expect.stringContaining('One application'),
    });
  });

  it('prints what the service sent with --json, and says when nothing runs', async () => {
    expect((await cliAt('ps shop --json', [ok(sent)])).out).toBe(`${JSON.stringify(sent)}\n`);
    const none = await cliAt('ps shop', [ok({ processes: [], scale: {} })]);
    expect([none.code, none.out, none.err]).toEqual([0, '', 'Nothing has been started yet.\n']);
  });

  it('says what a platform without processes says', async () => {
    const detail = 'On AWS Lambda an application has no processes.';
    const { code, err } = await cliAt('ps shop', [problem(501, 'request:not_supported', detail)]);
    expect([code, err]).toEqual([1, expect.stringContaining(detail)]);
  });
});

describe('scale', () => {
  it('sends the numbers, and shows what runs then', async () => {
    const answer = { processes: [one('web.1')], scale: { web: 1, worker: 0, mailer: 1 } };
    const { code, calls, err, bodies } = await cliAt('scale worker=0 mailer=1 --app shop', [ok(answer)]);
    expect([code, calls]).toEqual([0, ['PATCH /1/apps/kiwi/shop/processes']]);
    expect(bodies).toEqual(['{"worker":0,"mailer":1}']);
    expect(err).toBe('No process of worker runs: "hooks scale worker=1" starts one.\n');
  });

  it('sends auto, and shows what sleeps', async () => {
    const answer = { processes: [one('web.1', { state: 'asleep', memory: null })], scale: { web: 'auto' } };
    const { out, err, bodies } = await cliAt('scale web=auto --app shop', [ok(answer)]);
    expect([bodies, err]).toEqual([['{"web":"auto"}'], expect.stringMatching(/^web ends after ten minutes .*\n$/)]);
    expect(out).toMatch(/^web\.1 +asleep +since /);
  });

  it.each(['worker', 'worker=two', 'web=automatic', 'worker=-1', '=1'])('does not understand %s', async (text) => {
    const { code, err, calls } = await cliAt(['scale', '--app', 'shop', text], []);
    expect([code, calls]).toEqual([2, []]);
    expect(err).toContain(`"${text}" is not like worker=2.`);
  });
});
