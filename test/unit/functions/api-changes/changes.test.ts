import { beforeEach, describe, expect, it } from 'vitest';
import { memoryLeases } from '../../../../functions/adapters/stores/memory/stream-leases.ts';
import { systemClock } from '../../../../functions/adapters/system/clock.ts';
import type { HttpRequest } from '../../../../functions/api/http.ts';
import { changes } from '../../../../functions/api-changes/changes.ts';
import { Feeds } from '../../../../functions/core/feed/feeds.ts';
import { memoryAccounts } from '../../../fakes/accounts.ts';
import { memoryLog } from '../../../fakes/deploy-log.ts';
import { memorySignals } from '../../../fakes/signals.ts';
import { append } from '../../../support/entries.ts';
import { request } from '../../../support/requests.ts';

const decoder = new TextDecoder();

function world({ seconds = 10 } = {}) {
  const log = memoryLog();
  const signals = memorySignals();
  const reads = { count: 0, fail: false };
  const reader = {
    last: (user: string) => log.last(user),
    changes: async (user: string, since: number, limit: number) => {
      reads.count += 1;
      if (reads.fail) throw new Error('connect ECONNREFUSED 10.0.0.7');
      return log.changes(user, since, limit);
    },
  };
  // Short, but of the event loop: pauses without it would let a stream that never ends stop this process.
  const sleep: typeof systemClock.sleep = (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal);
  const clock = { ...systemClock, sleep };
  const leases = memoryLeases(clock, { user: 2, service: 2 });
  const traced: unknown[] = [];
  const endpoint = changes({
    log: reader,
    accounts: memoryAccounts([]),
    feeds: new Feeds({ log: reader, signals, clock }),
    clock,
    leases,
    seconds,
    trace: (event, fields) => traced.push([event, fields]),
  });
  const write = async (count = 1) => {
    for (let row = 0; row < count; row += 1) await append(log, { appName: 'shop' });
    signals.notify('ann', await log.last('ann'));
  };
  const ask = async (query: Record<string, string> = {}, more: Partial<HttpRequest> = {}) => {
    const answer = await endpoint(request({ query, ...more }));
    const pieces = answer.body[Symbol.asyncIterator]();
    const next = async () => {
      const { done, value } = await pieces.next();
      return done ? null : decoder.decode(value);
    };
    const rest = async () => {
      let text = '';
      for (let piece = await next(); piece !== null; piece = await next()) text += piece;
      return text;
    };
    return { ...answer, next, rest, leave: () => pieces.return?.(undefined) };
  };
  return { ask, write, log, reads, reader, signals, leases, traced };
}

const rows = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

let { ask, write, reader, reads, signals, log, leases } = world();
beforeEach(() => {
  ({ ask, write, reader, reads, signals, log, leases } = world());
});

describe('a stream of changes', () => {
  it('starts with an empty line at once, before the first change', async () => {
    const stream = await ask();
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({ 'content-type': 'application/x-ndjson', 'x-accel-buffering': 'no' });
    expect(await stream.next()).toBe('\n');
    await stream.leave();
  });

  it('has only changes after its response head by default', async () => {
    await write(3);
    const stream = await ask({ limit: '1' });
    await write();
    expect(rows(await stream.rest()).map(({ seq }) => seq)).toEqual([4]);
  });

  it('ends without a further line after limit rows', async () => {
    await write(5);
    expect(rows(await (await ask({ since: '1', limit: '2' })).rest()).map(({ seq }) => seq)).toEqual([2, 3]);
  });

  it('has the changes from now on after a number that the log has not reached, as after a restore of a backup', async () => {
    await write(2);
    expect(JSON.parse(await (await ask({ feed: 'normal', since: '50' })).rest())).toEqual({ results: [], last_seq: 2 });
    const stream = await ask({ since: '50', limit: '1' });
    await write();
    expect(rows(await stream.rest()).map(({ seq }) => seq)).toEqual([3]);
  });

  it('ends with last_seq at its timeout, and with the error when it fails', async () => {
    const short = world({ seconds: 0.1 });
    await short.write(2);
    const [timeout] = rows(await (await short.ask()).rest());
    expect(timeout).toEqual({ code: 'status:changes:timeout', status: 408, last_seq: 2 });

    const broken = world();
    await broken.write(3);
    broken.reads.fail = true;
    const text = await (await broken.ask({ since: '1' })).rest();
    expect(rows(text)).toEqual([{ code: 'status:changes:fatal', status: 500, last_seq: 1 }]);
    expect(JSON.stringify(broken.traced)).toContain('changes failed');
    expect(text).not.toContain('10.0.0.7');
  });

  it('does not start when the database fails or a parameter is malformed', async () => {
    await expect(ask({ since: 'yesterday' })).rejects.toMatchObject({ code: 'request:bad_parameter' });
    reader.last = async () => {
      throw new Error('away');
    };
    await expect(ask()).rejects.toMatchObject({ code: 'status:db:query_fail', status: 500 });
  });

  it('holds a slot until it ends, also as a long poll, and is refused without one; feed=normal needs none', async () => {
    await write();
    const streams = [await ask({ since: '0', limit: '1' }), await ask({ feed: 'longpoll', since: '0' })];
    await expect(ask()).rejects.toMatchObject({ code: 'request:throttled', status: 429 });
    expect(JSON.parse(await (await ask({ feed: 'normal', since: '0' })).rest()).last_seq).toBe(1);
    for (const stream of streams) await stream.rest();
    expect(leases.open()).toBe(0);
  });

  it('includes documents with include_docs', async () => {
    await write();
    await log.move('ann', 1, () => ({ changes: { status: 'ok' }, due: 0 }));
    const docs = async (include: string) =>
      rows(await (await ask({ since: '0', limit: '2', include_docs: include })).rest()).map((row) => 'doc' in row);
    expect([await docs('true'), await docs('false')]).toEqual([
      [true, true],
      [false, false],
    ]);
    expect((await docs('auto'))[1]).toBe(false);
  });

  it('does not read ahead for a reader that does not read', async () => {
    await write(500);
    const slow = await ask({ since: '0' });
    await slow.next();
    await slow.next();
    const before = reads.count;
    await write(500);
    await new Promise((resolve) => setTimeout(resolve, 50));
    // What was read meanwhile is what the feed keeps for all: one read for each batch that is new.
    expect(reads.count - before).toBeLessThanOrEqual(Math.ceil(500 / 32));
    let seen = 32;
    while (seen < 1000) seen += rows((await slow.next()) ?? '').length;
    expect(seen).toBe(1000);
    await slow.leave();
  });

  it('releases the feed when its reader disconnects', async () => {
    const stream = await ask({ heartbeat: '20' });
    await stream.next();
    expect(await stream.next()).toBe('\n');
    expect(signals.subscribers()).toBe(1);
    await stream.leave();
    expect(signals.subscribers()).toBe(0);
  });
});

describe('server-sent events', () => {
  const headers = { accept: 'text/event-stream' };

  it('start with the cursor as id, so that a browser that disconnects before the first event continues there', async () => {
    await write(2);
    const stream = await ask({}, { headers });
    expect(stream.headers['content-type']).toBe('text/event-stream');
    expect(await stream.next()).toMatch(/^retry: \d+\nid: 2\n\n$/);
    await stream.leave();
  });

  it('have the seq as id, and continue after Last-Event-ID, which overrides since', async () => {
    await write(4);
    const stream = await ask({ since: '0', limit: '2' }, { headers: { ...headers, 'last-event-id': '2' } });
    const events = (await stream.rest()).split('\n\n').slice(1, -1);
    expect(events.map((event) => event.split('\n')[0])).toEqual(['id: 3', 'id: 4']);
    for (const event of events) expect(JSON.parse(event.split('\ndata: ')[1] ?? '')).toHaveProperty('status', 'queued');
  });

  it('end with an event that moves the cursor past filtered changes', async () => {
    const { ask, write } = world({ seconds: 0.1 });
    await write(3);
    const text = await (await ask({ since: '0', app: 'other' }, { headers })).rest();
    expect(text).toContain('id: 3\ndata: {"code":"status:changes:timeout","status":408,"last_seq":3}\n\n');
  });
});

describe('changes in one JSON document', () => {
  it('are all existing changes, or an empty list', async () => {
    expect(JSON.parse(await (await ask({ feed: 'normal', since: '0' })).rest())).toEqual({ results: [], last_seq: 0 });
    await write(130);
    const answer = await ask({ feed: 'normal', since: '0' }, { headers: { accept: 'text/event-stream' } });
    expect(answer.headers['content-type']).toBe('application/json');
    const { results, last_seq } = JSON.parse(await answer.rest());
    expect([results.length, results[0].seq, results[129].seq, last_seq]).toEqual([130, 1, 130, 130]);
  });

  it('of a long poll are the next changes, with line breaks as heartbeats until then', async () => {
    const poll = await ask({ feed: 'longpoll', heartbeat: '10' });
    const start = `${await poll.next()}${await poll.next()}${await poll.next()}`;
    expect(start).toMatch(/\n\n\n$/);
    await write();
    const { results, last_seq } = JSON.parse(start + (await poll.rest()));
    expect([results.map(({ seq }: { seq: number }) => seq), last_seq]).toEqual([[1], 1]);
  });

  it('of a long poll are empty after its timeout, and a failure is a field of the document', async () => {
    const short = world({ seconds: 0.1 });
    expect(JSON.parse(await (await short.ask({ feed: 'longpoll' })).rest())).toEqual({ results: [], last_seq: 0 });
    const broken = world();
    await broken.write(2);
    broken.reads.fail = true;
    expect(JSON.parse(await (await broken.ask({ feed: 'normal', since: '0' })).rest())).toEqual({
      results: [],
      last_seq: 0,
      code: 'status:changes:fatal',
      status: 500,
    });
  });
});
