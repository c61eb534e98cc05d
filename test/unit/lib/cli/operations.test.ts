import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { doc, entry, page } from '../../../support/cli-entries.ts';
import { accepted, cliAt, ok, problem } from '../../../support/cli-service.ts';

const queued = entry(12, { status: 'queued', provider: 'manual' });
const live = entry(12, { status: 'ok', provider: 'manual', url: 'http://127.0.0.1:9000' });
const failed = entry(12, {
  status: 'error',
  error: { code: 'deploy:platform:start_app', status: 500, detail: 'It ended.' },
  doc: doc({ log_tail: ['Error: no database'] }),
});
const id = queued.id.slice(-32);
const shown = `GET /1/status/kiwi/changes/${id}?include_docs=true`;

describe('Operations on an application', () => {
  it.each([
    ['restart shop', 'POST /1/apps/kiwi/shop/restart', '#12 hello is live: http://127.0.0.1:9000\n'],
    ['stop shop', 'POST /1/apps/kiwi/shop/stop', '#12 shop is stopped.\n'],
    ['rename shop store', 'POST /1/apps/kiwi/shop/rename', '#12 shop is store now.\n'],
    ['redeploy shop', 'POST /1/apps/kiwi/shop/redeploy', '#12 hello is live: http://127.0.0.1:9000\n'],
    [
      'redeploy shop --clean',
      'POST /1/apps/kiwi/shop/redeploy?clean=true',
      '#12 hello is live: http://127.0.0.1:9000\n',
    ],
    ['rollback --app shop', 'POST /1/apps/kiwi/shop/rollback', '#12 hello is live: http://127.0.0.1:9000\n'],
  ])('"hooks %s" is followed to its end', async (args, call, line) => {
    const { code, out, err, calls } = await cliAt(args, [accepted(queued), ok(queued), ok(live)]);
    expect([code, out, err]).toEqual([0, line, '']);
    expect(calls).toEqual([call, shown, shown]);
  });

  it('fail with 1, the reason and what was printed, on standard error', async () => {
    const { code, out, err } = await cliAt('restart shop', [accepted(queued), ok(failed)]);
    expect([code, out]).toEqual([1, '']);
    expect(err).toBe('#12 hello error: It ended. (deploy:platform:start_app)\n    Error: no database\n');
  });

  it('draw their stages on a terminal, on standard error, and the reason once', async () => {
    const { out, err } = await cliAt('restart shop', [accepted(queued), ok(failed)], { terminal: true });
    expect(out).toBe('');
    expect(err.match(/It ended\./g)).toHaveLength(1);
  });

  it('do not wait with --no-wait', async () => {
    const { code, out, err, calls } = await cliAt('stop shop --no-wait', [accepted(queued)]);
    expect([code, out, calls.length]).toEqual([0, '#12 is queued.\n', 1]);
    expect(err).toContain('hooks watch --exit-status --entry 12');
    const json = await cliAt('stop shop --no-wait --json', [accepted(queued)]);
    expect(JSON.parse(json.out)).toMatchObject({ id: queued.id, status: 'queued' });
  });

  it('print their last entry with --json, also when they failed', async () => {
    const { code, out, err } = await cliAt('restart shop --json', [accepted(queued), ok(failed)]);
    expect([code, JSON.parse(out), err]).toMatchObject([1, { id: failed.id, status: 'error' }, '']);
  });

  it('go on asking when the service fails for a moment, and end when it keeps failing', async () => {
    // The shortest pauses between attempts.
    const chance = vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => chance.mockRestore());
    const broken = problem(500, 'status:db:get_by_id', 'The log could not be read.');
    expect((await cliAt('restart shop', [accepted(queued), broken, 'hang up', ok(live)])).code).toBe(0);
    const { code, err } = await cliAt('restart shop', [accepted(queued), ...Array(6).fill(broken)]);
    expect([code, err]).toEqual([1, expect.stringContaining('status:db:get_by_id')]);
  });

  it('that are refused are one sentence', async () => {
    const { code, err } = await cliAt('restart shop', [
      problem(404, 'status:db:not_found', 'You have no application.'),
    ]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^error: You have no application\. \(status:db:not_found.*\n$/),
    ]);
  });
});

describe('rollback', () => {
  it('goes back to an entry, whose application is meant', async () => {
    const target = entry(9, { app_name: '@octo/shop', status: 'ok' });
    const replies = [ok(page([queued, target])), ok({ apps: [] }), accepted(queued), ok(live)];
    const { code, calls } = await cliAt('rollback 9', replies);
    expect(code).toBe(0);
    expect(calls[2]).toBe(`POST /1/apps/kiwi/%40octo%2Fshop/rollback?to=${target.id.slice(-32)}`);
  });

  it('goes back to an entry of an application that has another name now', async () => {
    const target = entry(9, { app_name: 'shop', status: 'ok' });
    const apps = [{ name: 'store', state: 'running', rollback: [target] }];
    const { calls } = await cliAt('rollback 9', [ok(page([target])), ok({ apps }), accepted(queued), ok(live)]);
    expect(calls[2]).toBe(`POST /1/apps/kiwi/store/rollback?to=${target.id.slice(-32)}`);
  });
});

describe('release', () => {
  it('lets a held deploy go and follows it', async () => {
    const held = entry(12, { status: 'held' });
    const { code, calls } = await cliAt('release 12', [ok(page([held])), accepted(queued), ok(live)]);
    expect(code).toBe(0);
    expect(calls[1]).toBe(`POST /1/status/kiwi/changes/${id}/release`);
  });

  it.each(['ok', 'expired', 'crashed'])('says that a deploy which is %s is not held', async (status) => {
    const ended = entry(12, { status });
    const { code, out, err } = await cliAt('release 12', [ok(page([ended])), ok(ended)]);
    expect([code, out, err]).toEqual([1, '', `error: #12 is not held: it is ${status}.\n`]);
  });
});

describe('An application in place of an entry', () => {
  const own = [entry(14, { status: 'running' }), entry(13, { status: 'held' })];

  it.each([
    ['release shop', '013/release'],
    ['release --app shop', '013/release'],
    ['cancel shop', '014/cancel'],
    ['cancel shop --app shop', '014/cancel'],
  ])('is meant by "hooks %s"', async (args, end) => {
    const { calls } = await cliAt(args, [ok(page(own)), accepted(live), ok(live)]);
    expect(calls[0]).toBe('GET /1/status/kiwi/webhooks/shop?limit=100&skip=0&include_docs=true');
    expect(calls[1]).toMatch(new RegExp(`${end}$`));
  });

  it.each(['release', 'cancel', 'build-log'])('is no other one for "hooks %s"', async (command) => {
    const unknown = await cliAt(`${command} shpo`, [problem(404, 'status:db:not_found', 'There is none.')]);
    expect([unknown.code, unknown.calls.length, unknown.err]).toEqual([1, 1, expect.stringContaining('shpo')]);
    expect((await cliAt(`${command} shop --app store`, [])).code).toBe(2);
  });

  it('has nothing that is held', async () => {
    const { code, err } = await cliAt('release shop', [ok(page([live]))]);
    expect([code, err]).toEqual([1, 'error: No deploy of shop is held: there is nothing to release.\n']);
  });
});

describe('cancel', () => {
  const cancelled = (number: number) => accepted(entry(number, { status: 'cancelled', reason: 'Cancelled by kiwi.' }));

  it('ends the entry that is named, and says so', async () => {
    const { code, out, calls } = await cliAt('cancel 12', [ok(page([queued])), cancelled(12)]);
    expect([code, out]).toEqual([0, '#12 hello is cancelled.\n']);
    expect(calls[1]).toBe(`POST /1/status/kiwi/changes/${id}/cancel`);
  });

  it('ends the newest unfinished deploy, also one with a status that this version does not know', async () => {
    for (const status of ['queued', 'running', 'held', 'paused']) {
      const rows = [entry(14, { status: 'skipped' }), live, entry(11, { status }), entry(10)];
      const { out, calls } = await cliAt('cancel', [ok(page(rows)), cancelled(11)]);
      expect([out, calls[1]]).toEqual(['#11 hello is cancelled.\n', expect.stringMatching(/011\/cancel$/)]);
    }
  });

  it('says that nothing is unfinished, and why the service has refused', async () => {
    const none = await cliAt('cancel', [ok(page([live]))]);
    expect([none.code, none.calls.length, none.err]).toEqual([1, 1, expect.stringContaining('nothing to cancel')]);
    const conflict = problem(409, 'request:conflict', '#12 has ended already: it is ok.');
    const late = await cliAt('cancel 12', [ok(page([live])), conflict]);
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('#12 has ended already: it is ok.')]);
  });
});

describe('remove', () => {
  const app = { name: 'shop', state: 'running', branch: null, url: null, repository: null };

  it('asks for the name', async () => {
    const replies = [ok(app), accepted(queued), ok(live)];
    const { code, out, calls } = await cliAt('remove shop', replies, { answers: ['shop'] });
    expect([code, out]).toEqual([0, '#12 shop is removed.\n']);
    expect(calls[1]).toBe('DELETE /1/apps/kiwi/shop');
  });

  it('removes nothing for another answer, and asks for --yes where nobody can answer', async () => {
    const other = await cliAt('remove shop', [ok(app)], { answers: ['shp'] });
    expect([other.code, other.calls.length, other.err]).toEqual([1, 1, expect.stringContaining('Nothing was removed')]);
    const script = await cliAt('remove shop', [ok(app)]);
    expect([script.code, script.calls.length, script.err]).toEqual([2, 1, expect.stringContaining('--yes')]);
    expect((await cliAt('remove shop --yes', [ok(app), accepted(queued), ok(live)])).code).toBe(0);
  });
});
