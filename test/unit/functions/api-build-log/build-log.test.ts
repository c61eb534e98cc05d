import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { memoryLeases } from '../../../../functions/adapters/stores/memory/stream-leases.ts';
import { buildLog } from '../../../../functions/api-build-log/build-log.ts';
import type { PrintedLine } from '../../../../functions/core/ports/processes.ts';
import { memoryAccounts } from '../../../fakes/accounts.ts';
import { memoryClock } from '../../../fakes/clock.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { AT, append, checked } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';

const printed = (line: string): PrintedLine => ({ at: '2026-01-01T00:00:00.000Z', stream: 'stdout', line });

async function* batches(...all: readonly (readonly PrintedLine[])[]) {
  yield* all;
}

/** An entry that is built, and what the platform answers, one after the other; null: it does not have the snapshot. */
async function world(...answers: readonly (AsyncIterable<readonly PrintedLine[]> | null)[]) {
  const log = memoryLog();
  const { id } = await append(log, { ...checked, stage: 'extract' });
  const left = [...answers];
  const asked: string[] = [];
  const clock = memoryClock(AT);
  const output = {
    read: async ({ user, app, snapshot }: { user: string; app: string; snapshot: string }, follow: boolean) => {
      asked.push(`${user}/${app}/${snapshot}${follow ? ' follow' : ''}`);
      return left.shift() ?? null;
    },
  };
  const traced: string[] = [];
  const trace = (event: string) => void traced.push(event);
  // Nothing is late unless a test says so.
  const patient = {
    now: clock.now,
    sleep: (ms: number, signal?: AbortSignal) => (ms < 1000 ? clock.sleep(ms) : aborted(signal)),
  };
  const leases = memoryLeases(clock, { user: 1, service: 1 });
  const endpoint = buildLog({ log, output, accounts: memoryAccounts([]), clock: patient, leases, seconds: 60, trace });
  const get = async (query: Record<string, string> = {}, of = id) => {
    const { headers, body } = await endpoint(request({ params: { user: 'ann', id: of }, query }));
    return { headers, lines: (await text(body)).split('\n').filter((line) => line !== '') };
  };
  return { log, get, asked, traced, leases };
}

function aborted(signal?: AbortSignal): Promise<void> {
  if (!signal || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe('GET /1/status/<user>/changes/<id>/build-log', () => {
  it('is what the build of the entry printed, an object per line', async () => {
    const { get, asked } = await world(batches([printed('added 3 packages')], [printed('built in 2 s')]));
    const { headers, lines } = await get();
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(lines.map((line) => JSON.parse(line))).toEqual([printed('added 3 packages'), printed('built in 2 s')]);
    expect(asked).toEqual(['ann/shop/1.0.0-1']);
  });

  it('has no secrets, no private keys and nothing that commands a terminal', async () => {
    const key = ['-----BEGIN PRIVATE KEY-----', 'MIIE', '-----END PRIVATE KEY-----'].map(printed);
    const { get } = await world(batches([printed('\u001b[31mTOKEN=abc\u001b[0m')], key, [printed('after')]));
    expect((await get()).lines.map((line) => JSON.parse(line).line)).toEqual(['TOKEN=***', '***', '', '', 'after']);
  });

  it('follows a build, also one that the platform does not have yet or has not begun', async () => {
    const { get, asked } = await world(null, batches(), batches([printed('installing')]));
    expect((await get({ follow: '' })).lines).toHaveLength(1);
    expect(asked).toEqual(Array(3).fill('ann/shop/1.0.0-1 follow'));
  });

  it('holds a slot for a stream while it is followed, and is refused without one', async () => {
    const { get, leases } = await world(batches([printed('one')]), batches([printed('two')]), null);
    const other = await leases.acquire('ann', AT + 60_000);
    await expect(get({ follow: '' })).rejects.toMatchObject({ code: 'request:throttled' });
    expect((await get()).lines).toHaveLength(1);
    if ('id' in other) await leases.release(other);
    expect((await get({ follow: '' })).lines).toHaveLength(1);
    expect(leases.open()).toBe(0);
  });

  it('ends without a line when the deploy ends before its build', async () => {
    const { get, log } = await world(null);
    const { read } = log;
    let reads = 0;
    log.read = async (...args) => {
      reads += 1;
      if (reads === 2) await log.move('ann', 1, () => ({ changes: { status: 'superseded' } }));
      return read.apply(log, args);
    };
    expect((await get({ follow: 'true' })).lines).toEqual([]);
  });

  it('is status:db:not_found when there is none, and for an unknown entry', async () => {
    const { get } = await world(null, null);
    await expect(get()).rejects.toMatchObject({ code: 'status:db:not_found', status: 404 });
    await expect(get({}, 'x')).rejects.toMatchObject({ code: 'status:db:not_found' });
    await expect(get({ follow: 'maybe' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
  });

  it('ends with a line that says so when the connection to the platform is lost', async () => {
    async function* broken() {
      yield [printed('installing')];
      throw new Error('reset');
    }
    const { get, traced } = await world(broken());
    expect((await get()).lines.map((line) => JSON.parse(line)).at(-1)).toEqual({
      code: 'status:changes:fatal',
      status: 500,
    });
    expect(traced).toEqual(['output failed']);
  });
});
