import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { memoryLeases } from '../../../../functions/adapters/stores/memory/stream-leases.ts';
import { printed } from '../../../../functions/api-app-logs/logs.ts';
import type {
  AppOutput,
  OutputFound,
  OutputQuery,
  OutputSearch,
} from '../../../../functions/core/ports/applications.ts';
import type { PrintedLine } from '../../../../functions/core/ports/processes.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { AT, MINUTE } from '../../../support/entries.ts';
import { annsLogin, request } from '../../../support/requests.ts';

const line = (text: string): PrintedLine => ({ at: '2026-01-01T00:00:00.000Z', stream: 'stdout', line: text });

const resource = '/1/apps/{user}/{application}/logs';

/** The endpoint on an output that a test provides. */
function world(
  batches: (signal: AbortSignal) => AsyncIterable<readonly PrintedLine[]> | null,
  found: OutputFound | null = null,
) {
  const clock = memoryClock(AT);
  const asked: OutputQuery[] = [];
  const searched: OutputSearch[] = [];
  const traced: string[] = [];
  const signals: AbortSignal[] = [];
  const output: AppOutput = {
    search: async (_app, query) => {
      searched.push(query);
      return found;
    },
    read: async (_app, query, signal) => {
      asked.push(query);
      signals.push(signal);
      return batches(signal);
    },
  };
  const { accounts, headers } = annsLogin();
  const leases = memoryLeases(clock, { user: 1, service: 1 });
  const runs = { read: async () => null };
  const trace = (event: string) => void traced.push(event);
  const endpoint = printed({ output, runs, accounts, clock, leases, seconds: 300, trace });
  const ask = (query: Record<string, string> = {}, gone = new AbortController().signal) =>
    endpoint(request({ resource, params: { user: 'ann', application: 'shop' }, query, headers, gone }));
  const text = async (query: Record<string, string> = {}) => textOf((await ask(query)).body);
  return { clock, leases, asked, searched, traced, signals, ask, text };
}

async function* of(...batches: readonly PrintedLine[][]) {
  yield* batches;
}

/** Lines that never come. */
async function* silence() {
  await new Promise(() => {});
  yield [];
}

describe('GET /1/apps/<user>/<application>/logs', () => {
  it('sends the last lines, a JSON object each, and ends', async () => {
    const { ask, text, asked } = world(() => of([line('one'), line('two')], [line('three')]));
    const { headers, status } = await ask();
    expect({ status, type: headers['content-type'], cache: headers['cache-control'] }).toEqual({
      status: 200,
      type: 'application/x-ndjson',
      cache: 'no-store, no-transform',
    });
    expect(
      (await text())
        .split('\n')
        .filter((one) => one !== '')
        .map((one) => JSON.parse(one).line),
    ).toEqual(['one', 'two', 'three']);
    expect(asked[0]).toEqual({ lines: 100, follow: false });
  });

  it('sends a first byte even without a line, because the head of the response goes with it', async () => {
    expect(await world(() => of()).text()).toBe('\n');
  });

  it.each([
    [{ follow: '' }, { lines: 100, follow: true }],
    [
      { follow: 'true', lines: '0' },
      { lines: 0, follow: true },
    ],
    [
      { follow: 'false', lines: '1000' },
      { lines: 1000, follow: false },
    ],
  ])('reads the query %j', async (query, expected) => {
    const { ask, asked } = world(() => of());
    await ask(query);
    expect(asked).toEqual([expected]);
  });

  it.each([{ lines: '-1' }, { lines: '1001' }, { lines: 'all' }, { follow: 'maybe' }])('refuses %j', async (query) => {
    const { ask } = world(() => of());
    await expect(ask(query)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('searches the stored output, and says in the last line how far it has looked', async () => {
    const searched = { since: '2026-01-01T00:00:00.000Z', until: '2026-01-02T00:00:00.000Z' };
    const at = world(() => of(), { lines: [line('A crash'), line('crash')], searched, next: '17' });
    const lines = (await at.text({ grep: 'crash', process: 'worker', lines: '7', before: '20' })).trim().split('\n');
    expect(lines.map((one) => JSON.parse(one))).toEqual([line('A crash'), line('crash'), { searched, next: '17' }]);
    expect(at.searched).toEqual([{ text: 'crash', lines: 7, process: 'worker', before: '20' }]);
    await expect(world(() => of()).ask({ grep: 'crash' })).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  it.each([
    { grep: '' },
    { grep: 'x'.repeat(201) },
    { grep: 'x', follow: '' },
    { before: '17' },
    { grep: 'x', lines: '0' },
  ])('refuses the search %j', async (query) => {
    await expect(world(() => of()).ask(query)).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('is not found for an unknown application', async () => {
    await expect(world(() => null).ask()).rejects.toMatchObject({ code: 'status:db:not_found' });
  });

  it('begins at once, keeps a quiet stream alive, and says at its end that its time is over', async () => {
    const { clock, text, signals } = world(silence);
    const began = clock.now();
    const whole = await text({ follow: '' });
    expect(whole).toMatch(/^\n+\{"code":"status:changes:timeout","status":408\}\n$/);
    expect(whole.split('\n').length).toBeGreaterThan(18);
    expect(clock.now() - began).toBe(5 * MINUTE - 5000);
    expect(signals[0]?.aborted).toBe(true);
  });

  it('says so when the platform ends a stream that is followed', async () => {
    expect(await world(() => of([line('one')])).text({ follow: '' })).toMatch(
      /"line":"one"\}\n+\{"code":"status:changes:fatal","status":500\}\n$/,
    );
  });

  it('ends with the same line when the platform fails, and logs the cause', async () => {
    async function* failing() {
      yield [line('one')];
      throw new Error('down');
    }
    const { text, traced } = world(failing);
    expect(await text()).toMatch(/"line":"one"\}\n+\{"code":"status:changes:fatal","status":500\}\n$/);
    expect(traced).toEqual(['output failed']);
  });

  it('holds a slot for a stream while it is followed, and is refused without one', async () => {
    const { ask, text, leases } = world(() => of([line('one')]));
    const { body } = await ask({ follow: '' });
    expect(leases.open()).toBe(1);
    await expect(ask({ follow: '' })).rejects.toMatchObject({ code: 'request:throttled' });
    expect(await text()).toContain('"line":"one"');
    for await (const _ of body) break;
    expect(leases.open()).toBe(0);
    await expect(ask({ follow: 'maybe' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
    expect(leases.open()).toBe(0);
  });

  it('ends the request to the platform when its reader leaves', async () => {
    const { ask, signals } = world(() => of([line('one')], [line('two')]));
    const { body } = await ask({ follow: '' });
    for await (const bytes of body) if (new TextDecoder().decode(bytes).includes('one')) break;
    expect(signals[0]?.aborted).toBe(true);
  });

  it('ends the request to the platform at once when the client has gone, also while nothing is printed', async () => {
    const { ask, signals, leases, traced } = world(async function* (signal) {
      yield* of([line('one')]);
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    });
    const client = new AbortController();
    const { body } = await ask({ follow: '' }, client.signal);
    const reading = (async () => {
      for await (const bytes of body) if (new TextDecoder().decode(bytes).includes('one')) client.abort();
    })();
    await reading;
    expect([signals[0]?.aborted, leases.open(), traced]).toEqual([true, 0, []]);
  });
});
