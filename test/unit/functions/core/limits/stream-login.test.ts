import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { memoryLeases } from '../../../../../functions/adapters/stores/memory/stream-leases.ts';
import { printed } from '../../../../../functions/api-app-logs/logs.ts';
import { buildLog } from '../../../../../functions/api-build-log/build-log.ts';
import { changes } from '../../../../../functions/api-changes/changes.ts';
import { Feeds } from '../../../../../functions/core/feed/feeds.ts';
import { memoryClock } from '../../../../fakes/clock.ts';
import { memoryLog } from '../../../../fakes/deploy-log.ts';
import { memorySignals } from '../../../../fakes/signals.ts';
import { AT, append, checked, MINUTE, SECOND } from '../../../../support/entries.ts';
import { annsLogin, request } from '../../../../support/requests.ts';

const LINE = { at: '2026-01-01T00:00:00.000Z', stream: 'stdout', line: 'secret', data: '' } as const;

type TestClock = ReturnType<typeof memoryClock>;

/** What the platform prints: nothing at all, or a line each second. */
async function* silence() {
  await new Promise(() => {});
  yield [LINE];
}

async function* flood(clock: TestClock) {
  for (;;) {
    clock.pass(SECOND);
    yield [LINE];
  }
}

/** Every stream of the API, over what the platform prints, on a clock that each wait moves. */
async function streams(output: (clock: TestClock) => AsyncIterable<readonly (typeof LINE)[]>) {
  const clock = memoryClock(AT);
  const log = memoryLog();
  const { id } = await append(log, { ...checked, stage: 'extract' });
  const { accounts, headers } = annsLogin();
  const feeds = new Feeds({ log, signals: memorySignals(), clock });
  const shared = {
    accounts,
    clock,
    leases: memoryLeases(clock, { user: 9, service: 9 }),
    seconds: 840,
    trace: () => {},
  };
  const read = async () => output(clock);
  const [log_, app, build] = [
    changes({ log, feeds, ...shared }),
    printed({ output: { read, search: async () => null }, runs: { read }, ...shared }),
    buildLog({ log, output: { read }, ...shared }),
  ];
  const application = { user: 'ann', application: 'shop' };
  const [LOGS, RUN] = ['/1/apps/{user}/{application}/logs', '/1/apps/{user}/{application}/runs/{run}'];
  const opened = {
    changes: () => log_(request({ headers, query: { heartbeat: '240000' } })),
    longpoll: () => log_(request({ headers, query: { feed: 'longpoll' } })),
    'application log': () => app(request({ resource: LOGS, headers, params: application, query: { follow: '' } })),
    'one-off command': () => app(request({ resource: RUN, headers, params: { ...application, run: '7' } })),
    'build log': () => build(request({ headers, params: { user: 'ann', id }, query: { follow: '' } })),
  };
  return { opened, accounts, elapsed: () => clock.now() - AT };
}

type Streams = Awaited<ReturnType<typeof streams>>['opened'];
const SILENT: (keyof Streams)[] = ['changes', 'longpoll', 'application log', 'one-off command', 'build log'];
const LOUD: (keyof Streams)[] = ['application log', 'one-off command', 'build log'];

describe('the login of an open stream', () => {
  it.each([
    ...SILENT.map((name) => [name, 'nothing', silence] as const),
    ...LOUD.map((name) => [name, 'all the time', flood] as const),
  ])('is asked again: %s ends within a minute of its revocation, printing %s', async (name, _, output) => {
    const { opened, accounts, elapsed } = await streams(output);
    const { body } = await opened[name]();
    accounts.revoke('ann', 's3cret');
    expect(await text(body)).toMatch(
      /"code":"status:changes:timeout","status":408|^\{"results":\[\s*\],"last_seq":1\}\n$/,
    );
    expect(accounts.logins).toBe(1);
    expect(elapsed()).toBeLessThanOrEqual(MINUTE + 16 * SECOND);
  });

  it.each([
    ...SILENT.map((name) => [name, 'nothing', silence] as const),
    ...LOUD.map((name) => [name, 'all the time', flood] as const),
  ])('is asked every minute while it is valid: %s goes on to its end, printing %s', async (name, _, output) => {
    const { opened, accounts, elapsed } = await streams(output);
    await text((await opened[name]()).body);
    expect(accounts.logins).toBeGreaterThan(10);
    expect(elapsed()).toBeGreaterThan(13 * MINUTE);
  });
});
