import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { memoryLeases } from '../../../../../functions/adapters/stores/memory/stream-leases.ts';
import { leased, streamEnd } from '../../../../../functions/core/limits/leased-stream.ts';
import { memoryAccounts } from '../../../../fakes/accounts.ts';
import { memoryClock } from '../../../../fakes/clock.ts';

const request = { user: 'ann', uuid: 'u-1', headers: {} };

function world({ seconds = 300, slots = { user: 1, service: 5 } } = {}) {
  const clock = memoryClock();
  const leases = memoryLeases(clock, slots);
  const traced: unknown[] = [];
  const accounts = memoryAccounts([]);
  const ports = {
    leases,
    accounts,
    clock,
    seconds,
    trace: (event: string, fields: object) => void traced.push([event, fields]),
  };
  const open = (body: AsyncIterable<Uint8Array> = pieces()) => leased(request, ports, async () => ({ body }));
  return { clock, leases, traced, ports, open };
}

async function* pieces() {
  yield Buffer.from('one');
  yield Buffer.from('two');
}

async function* failing() {
  yield Buffer.from('one');
  throw new Error('down');
}

describe('a stream in a slot of its own', () => {
  it('has the slot until its body has ended', async () => {
    const { open, leases } = world();
    const { body } = await open();
    expect(leases.open()).toBe(1);
    expect(await text(body)).toBe('onetwo');
    expect(leases.open()).toBe(0);
  });

  it('releases the slot when its body fails, and when it cannot be opened', async () => {
    const { open, leases, ports } = world();
    await expect(open(failing()).then(({ body }) => text(body))).rejects.toThrow('down');
    const refused = leased(request, ports, async () => {
      throw new Error('no such application');
    });
    await expect(refused).rejects.toThrow('no such application');
    expect(leases.open()).toBe(0);
  });

  it('releases the slot when its reader leaves, even before the first piece', async () => {
    const { open, leases } = world();
    for await (const _ of (await open()).body) break;
    expect(leases.open()).toBe(0);
    const unread = Readable.from((await open()).body, { objectMode: false });
    const closed = new Promise((resolve) => unread.once('close', resolve));
    unread.destroy();
    await closed;
    expect(leases.open()).toBe(0);
  });

  it('is refused with the seconds after which a slot is free at the latest', async () => {
    const { open, clock } = world();
    await open();
    clock.pass(100_500);
    await expect(open()).rejects.toMatchObject({
      code: 'request:throttled',
      status: 429,
      retryAfter: 200,
      detail: expect.stringMatching(/^You have 1 open streams, .* try again in 200 s/),
    });
    clock.pass(199_500);
    await open();
  });

  it('is refused when those of all users together are too many', async () => {
    const { open } = world({ slots: { user: 5, service: 1 } });
    await open();
    await expect(open()).rejects.toMatchObject({
      code: 'request:throttled',
      detail: expect.stringMatching(/^The service has 1 open streams/),
    });
  });

  it('is not opened when the slots cannot be counted, and ends well when its slot cannot be released', async () => {
    const { open, ports, leases, traced } = world();
    leases.release = async () => {
      throw new Error('ECONNREFUSED');
    };
    expect(await text((await open()).body)).toBe('onetwo');
    expect(traced).toEqual([['lease not released', { uuid: 'u-1', error: new Error('ECONNREFUSED') }]]);
    const broken = {
      ...ports,
      leases: {
        ...leases,
        acquire: async () => {
          throw new Error('ECONNREFUSED');
        },
      },
    };
    await expect(leased(request, broken, async () => ({ body: pieces() }))).rejects.toMatchObject({
      code: 'status:db:query_fail',
    });
  });
});

it('A stream ends some seconds before its function, in time for its last line', () => {
  const clock = memoryClock(0);
  expect([1, 12, 300].map((seconds) => streamEnd({ clock, seconds }))).toEqual([900, 10_800, 295_000]);
});
