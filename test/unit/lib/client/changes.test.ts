import { createServer, type ServerResponse } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type FollowedChanges, followChanges } from '../../../../lib/client/changes.ts';
import { client, Problem } from '../../../../lib/client/client.ts';
import { freePort } from '../../../../lib/http/ports.ts';
import { server } from '../../../support/api-server.ts';
import { changesServer, cut, ended, open, refused, row } from '../../../support/changes-server.ts';

const times = { minPauseMs: 5, maxPauseMs: 20, stableMs: 60_000, fullMs: 10 };
const login = { user: 'kiwi', secret: 'pässword:canary' };
const timeout = (last: number) => `{"code":"status:changes:timeout","status":408,"last_seq":${last}}\n`;
const fatal = (last: number) => `{"code":"status:changes:fatal","status":500,"last_seq":${last}}\n`;

// No test here needs the minutes that a whole service gets: what never ends fails soon.
vi.setConfig({ testTimeout: 60_000 });
afterAll(() => vi.resetConfig());

/** More connections than any of these tests needs. */
const MOST_CONNECTIONS = 50;

type Following = FollowedChanges & { readonly url: string };

/** Follows from the first change. After too many connections it ends, so that what never ends fails a test. */
function follow({ url, signal, ...options }: Following): ReturnType<typeof followChanges> {
  const service = client({ ...login, url });
  const tooMany = new AbortController();
  let connections = 0;
  const lines: typeof service.lines = (request) => {
    connections += 1;
    if (connections > MOST_CONNECTIONS) tooMany.abort();
    return service.lines(request);
  };
  const ending = signal === undefined ? tooMany.signal : AbortSignal.any([signal, tooMany.signal]);
  return followChanges({ ...service, lines }, { since: 0, times, ...options, signal: ending });
}

/** The numbers of the first changes; leaves the loop then. */
async function take(count: number, following: Following): Promise<number[]> {
  const seen: number[] = [];
  for await (const { seq } of follow(following)) {
    seen.push(seq);
    if (seen.length === count) break;
  }
  return seen;
}

const sinces = (queries: readonly URLSearchParams[]) => queries.map((query) => query.get('since'));

describe('Following changes', () => {
  it('returns the rows as they were sent, and requests them with the login and the parameters', async () => {
    const { url, queries, logins } = await changesServer([open(row(1, { new_field: [1] }))]);
    for await (const change of follow({ url, app: 'hello', includeDocs: 'auto' })) {
      expect(`${JSON.stringify(change)}\n`).toBe(row(1, { new_field: [1] }));
      break;
    }
    expect(Object.fromEntries(queries[0] ?? [])).toMatchObject({ since: '0', app: 'hello', include_docs: 'auto' });
    expect(logins[0]).toBe(`Basic ${Buffer.from('kiwi:pässword:canary').toString('base64')}`);
  });

  it('resumes after the last row when the stream is cut, also in the middle of a row', async () => {
    const half = row(3).slice(0, 40);
    const { url, queries } = await changesServer([cut(row(1), row(2), half), open(row(3), row(4))]);
    expect(await take(4, { url })).toEqual([1, 2, 3, 4]);
    expect(sinces(queries)).toEqual(['0', '2']);
  });

  it('ignores an incomplete last row, even if it could be parsed', async () => {
    const { url, queries } = await changesServer([ended(row(1), row(2).trimEnd()), open(row(2))]);
    expect(await take(2, { url })).toEqual([1, 2]);
    expect(sinces(queries)).toEqual(['0', '1']);
  });

  it('returns no row twice', async () => {
    const { url } = await changesServer([cut(row(1), row(2)), open(row(1), row(2), row(3))], { last: 3 });
    expect(await take(3, { url })).toEqual([1, 2, 3]);
  });

  it.each([
    ['a cut', cut(row(50))],
    ['the time limit', ended(row(50), timeout(50))],
  ])('goes on with what the service counts from a smaller number after %s, as after a restore', async (_, before) => {
    const { url, queries } = await changesServer([before, ended(timeout(20)), ended(row(21), row(22)), open(row(23))], {
      last: 22,
    });
    expect(await take(4, { url })).toEqual([50, 21, 22, 23]);
    expect(sinces(queries)).toEqual(['0', '50', '20', '22']);
  });

  it('resumes from last_seq when the stream ends at its time limit, without reporting an interruption', async () => {
    const causes: string[] = [];
    const { url, queries } = await changesServer([ended(row(1), timeout(7)), open(row(8))]);
    expect(await take(2, { url, onInterruption: (cause) => causes.push(cause) })).toEqual([1, 8]);
    expect(sinces(queries)).toEqual(['0', '7']);
    expect(causes).toEqual([]);
  });

  it('resumes from last_seq after an error of the service, and reports it', async () => {
    const causes: string[] = [];
    const { url, queries } = await changesServer([ended(row(1), fatal(3)), open(row(4))]);
    expect(await take(2, { url, onInterruption: (cause) => causes.push(cause) })).toEqual([1, 4]);
    expect(sinces(queries)).toEqual(['0', '3']);
    expect(causes).toEqual([expect.stringContaining('status:changes:fatal')]);
  });

  it('decodes characters that are split over two chunks, and skips heartbeats', async () => {
    const bytes = Buffer.from(`\n\n${row(1, { app_name: 'grüße' })}\n`);
    const middle = bytes.indexOf('ü') + 1;
    const url = await server((_, response) => {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' });
      response.write(bytes.subarray(0, middle));
      setTimeout(() => response.write(bytes.subarray(middle)), 30);
    });
    for await (const change of follow({ url })) {
      expect(change.app_name).toBe('grüße');
      break;
    }
  });

  it('reads the current sequence number before the first stream, so that a cut before the first row loses nothing', async () => {
    const { url, queries } = await changesServer([cut(), open(row(42))], { last: 41 });
    expect(await take(1, { url, since: 'now' })).toEqual([42]);
    expect(sinces(queries)).toEqual(['41', '41']);
  });
});

describe('A dead connection', () => {
  it('A connection is closed when nothing arrives, before the response or within it', async () => {
    const asked: number[] = [];
    const url = await server((request, response) => {
      asked.push(Number(new URL(request.url ?? '', 'http://service').searchParams.get('since')));
      // A connection of a busy machine may be closed too, and is then the next one.
      if (asked.length > 1) open(row((asked.at(-1) ?? 0) + 1))(response);
    });
    expect(await take(2, { url, times, silenceMs: 100 })).toEqual([1, 2]);
    expect([asked[0], asked[1], asked.at(-1)]).toEqual([0, 0, 1]);
  });

  it('The changes behind a proxy that holds the stream back are read without one', async () => {
    const { url } = await changesServer([() => {}], { last: 2, rows: [row(1), row(2)] });
    expect(await take(2, { url, times, silenceMs: 100 })).toEqual([1, 2]);
  });

  it('A connection that sends heartbeats is not closed', async () => {
    const waits = fakeWaits();
    const streams: ServerResponse[] = [];
    const url = await server((_, response) => {
      streams.push(response);
      open()(response);
    });
    const taken = take(1, { url, times, silenceMs: 300 });
    for (const text of ['', '\n', '\n', row(1)]) {
      const before = waits.count;
      await expect.poll(() => streams).toHaveLength(1);
      streams[0]?.write(text);
      // The client has read it and waits for more.
      if (text === '\n') await expect.poll(() => waits.count).toBeGreaterThan(before);
      await vi.advanceTimersByTimeAsync(200);
    }
    expect(await taken).toEqual([1]);
    expect(streams).toHaveLength(1);
  });

  it('A connection is not closed while the caller is busy with a row', async () => {
    fakeWaits();
    const { url, queries } = await changesServer([open(row(1), row(2))]);
    const seen: number[] = [];
    for await (const { seq } of follow({ url, times, silenceMs: 100 })) {
      seen.push(seq);
      if (seq === 2) break;
      await vi.advanceTimersByTimeAsync(250);
    }
    expect(seen).toEqual([1, 2]);
    expect(queries).toHaveLength(1);
  });
});

describe('A service that is down', () => {
  it('A service that is down is retried until it answers, and the interruption is reported once', async () => {
    const causes: string[] = [];
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    // This server answers a page with a stream as well, which is given up after that time.
    const taken = take(1, { url, silenceMs: 500, onInterruption: (cause) => causes.push(cause) });
    await expect.poll(() => causes).toEqual(['ECONNREFUSED']);
    const late = createServer((_, response) => open(row(1))(response)).listen(port, '127.0.0.1');
    try {
      expect(await taken).toEqual([1]);
      expect(causes).toHaveLength(1);
    } finally {
      late.closeAllConnections();
      late.close();
    }
  });

  it('polls while the service has no place for another stream, and streams again when it has', async () => {
    const full = { code: 'request:throttled', detail: 'You have 5 open streams.' };
    const causes: string[] = [];
    const { url, queries } = await changesServer([refused(429, full), refused(429, full), open(row(3))], {
      last: 2,
      rows: [row(1), row(2)],
    });
    expect(await take(3, { url, onInterruption: (cause) => causes.push(cause) })).toEqual([1, 2, 3]);
    expect(sinces(queries)).toEqual(['0', '2', '2']);
    expect(causes).toEqual(['it answered 429 (request:throttled): You have 5 open streams.']);
  });

  it.each([408, 429, 500, 503])('The status %i is retried', async (status) => {
    const { url } = await changesServer([refused(status, { code: 'request:failed' }), open(row(1))]);
    expect(await take(1, { url })).toEqual([1]);
  });

  it('A failure after a stream that ended at its time limit is reported as a new interruption', async () => {
    const causes: string[] = [];
    const { url } = await changesServer([ended(row(1), timeout(1)), refused(503, {}), open(row(2))]);
    expect(await take(2, { url, onInterruption: (cause) => causes.push(cause) })).toEqual([1, 2]);
    expect(causes).toEqual([expect.stringContaining('503')]);
  });

  it('The pauses between attempts grow up to the longest one', async () => {
    let asked = 0;
    const url = await server((request, response) => {
      if (!request.url?.includes('feed=')) asked += 1;
      if (asked < 5) response.destroy();
      else open(row(1))(response);
    });
    const chance = vi.spyOn(Math, 'random').mockReturnValue(1);
    const timers = vi.spyOn(globalThis, 'setTimeout');
    await take(1, { url, times: { ...times, minPauseMs: 41, maxPauseMs: 203 } }).finally(() => chance.mockRestore());
    const set = timers.mock.calls.map(([, milliseconds]) => Number(milliseconds));
    timers.mockRestore();
    // Others set timers too, with other times.
    expect(set.filter((time) => [41, 82, 164, 203, 328, 656].includes(time))).toEqual([82, 164, 203, 203]);
  });
});

describe('The end of following changes', () => {
  it.each([
    [
      401,
      { code: 'mw:auth:unauthorized', detail: 'The password of kiwi does not match.' },
      'answered 401 (mw:auth:unauthorized): The password of kiwi does not match.',
    ],
    [401, {}, 'answered 401'],
    [404, { code: 'request:not_found' }, 'answered 404 (request:not_found)'],
    [400, { code: 'request:bad_parameter', detail: 'No such since.' }, 'No such since.'],
    [302, {}, 'answered 302'],
  ])('Following ends with an error that a retry cannot resolve: %i %j', async (status, problem, words) => {
    const { url, queries } = await changesServer([refused(status, problem)]);
    const following = take(1, { url });
    await expect(following).rejects.toThrow(Problem);
    await expect(following).rejects.toThrow(words);
    await expect(following).rejects.not.toThrow('canary');
    expect(queries).toHaveLength(1);
  });

  it('Following ends with an error when another program answers at the address', async () => {
    const url = await server((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<form>');
    });
    await expect(take(1, { url })).rejects.toThrow(Problem);
  });

  it.each([
    ['while it waits for a row', open(row(1))],
    ['while it waits for the next try', cut(row(1))],
  ])('Following ends without an error when it is aborted %s', async (_, script) => {
    const ending = new AbortController();
    const { url } = await changesServer([script]);
    const slow = { ...times, minPauseMs: 10_000, maxPauseMs: 30_000 };
    const seen: number[] = [];
    for await (const { seq } of follow({ url, times: slow, signal: ending.signal })) {
      seen.push(seq);
      setTimeout(() => ending.abort(), 100);
    }
    expect(seen).toEqual([1]);
  });

  it.each(['aborted', 'silent'])(
    'Following closes its connection when it is %s, also after a garbage collection',
    async (how) => {
      let closed = 0;
      const url = await server((_, response) => {
        response.on('close', () => (closed += 1));
        open(row(1))(response);
      });
      const ending = new AbortController();
      const seen: number[] = [];
      const options = { url, signal: ending.signal, times, silenceMs: 400 };
      const following = (async () => {
        for await (const { seq } of follow(options)) seen.push(seq);
      })();
      await expect.poll(() => seen).toEqual([1]);
      for (let round = 0; round < 5; round += 1) {
        await new Promise((resolve) => setTimeout(resolve, 40));
        collectGarbage();
      }
      if (how === 'aborted') ending.abort();
      await expect.poll(() => closed).toBeGreaterThan(0);
      ending.abort();
      await following;
      expect(seen).toEqual([1]);
    },
  );

  it('Following ends without a request when it was aborted before', async () => {
    const { url, queries } = await changesServer([open(row(1))]);
    expect(await take(1, { url, signal: AbortSignal.abort() })).toEqual([]);
    expect(queries).toEqual([]);
  });

  it('Following closes its connection when the caller leaves the loop', async () => {
    let closed = false;
    const url = await server((_, response) => {
      response.on('close', () => (closed = true));
      open(row(1))(response);
    });
    await take(1, { url });
    await expect.poll(() => closed).toBe(true);
  });
});

/** Lets the time limits of this process pass only when the test says so; returns how many there have been. */
function fakeWaits() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const fake = globalThis.setTimeout;
  const waits = { count: 0 };
  // Not a spy of vitest: to restore all spies of this process later would bring the fake back.
  const counting = (...args: Parameters<typeof fake>) => {
    waits.count += 1;
    return fake(...args);
  };
  globalThis.setTimeout = Object.assign(counting, fake);
  onTestFinished(() => {
    globalThis.setTimeout = fake;
    vi.useRealTimers();
  });
  return waits;
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}
