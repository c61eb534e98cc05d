import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { type ServiceUnderTest, type Started, startForTest } from '../support/service/started.ts';

interface Row {
  readonly seq: number;
  readonly status: string;
}

/** A stream that is read line by line. */
interface Stream {
  readonly rows: Row[];
  readonly lines: string[];
  readonly headers: Headers;
  /** Waits until so many rows have come. */
  until(count: number): Promise<void>;
  readonly ended: Promise<void>;
  cut(): void;
}

describe('live changes on one machine', () => {
  let started: Started<ServiceUnderTest>;
  const open: { cut(): void }[] = [];
  /** The stream of a user who has no changes. */
  let quiet: Stream;

  beforeAll(async () => {
    // Long enough for forty writes on a busy machine; the idle stream ends in the meantime.
    started = await startForTest('changes', { streams: { seconds: 12, perUser: 1000, inAll: 5000 } });
    await started.addUser({ user: 'eve', password: 'eve-secret-password' });
    await started.addUser({ user: 'quiet', password: 'quiet-secret-password' });
    await started.addUser({ user: 'first', password: 'first-secret-password' });
    // The functions of a stack take as long to start as a stream lasts, on a busy machine.
    await Promise.all(Array.from({ length: 5 }, () => ping('first:first-secret-password')));
    quiet = await stream('?since=now&heartbeat=1000', 'quiet:quiet-secret-password');
  });
  afterAll(async () => {
    for (const stream of open) stream.cut();
    await started.close();
  });

  const address = (query: string, user = 'demo') => `${started.service.url}/1/status/${user}/changes${query}`;
  const basic = (login: string) => `Basic ${Buffer.from(login).toString('base64')}`;
  const demo = () => `demo:${started.service.login.password}`;

  async function stream(query: string, login = demo(), headers: Record<string, string> = {}): Promise<Stream> {
    const stop = new AbortController();
    const user = login.split(':')[0];
    const answer = await fetch(address(query, user), {
      headers: { ...headers, authorization: basic(login) },
      signal: stop.signal,
    });
    const rows: Row[] = [];
    const lines: string[] = [];
    const ended = read(answer, (line) => {
      lines.push(line);
      const json = line.replace(/^data: ?/, '');
      if (json.startsWith('{') && JSON.parse(json).seq) rows.push(JSON.parse(json));
    });
    const opened = {
      rows,
      lines,
      headers: answer.headers,
      ended,
      cut: () => stop.abort(),
      until: async (count: number) => {
        await expect.poll(() => rows.length).toBeGreaterThanOrEqual(count);
      },
    };
    open.push(opened);
    return opened;
  }

  /** A ping makes one entry, and so one change. */
  const ping = (login = demo()) =>
    started.call('/1/deploy', {
      method: 'POST',
      login,
      headers: { 'x-github-event': 'ping', 'content-type': 'application/json' },
      body: JSON.stringify({ zen: 'Keep it logically awesome.', hook: { events: ['push'] } }),
    });
  const last = async () => (await started.call('/1/status/demo/changes?feed=normal&since=0')).body.last_seq;

  it('streams rows to two readers as they are written, and sends the headers at once', async () => {
    const one = await stream('?since=now');
    const other = await stream('?since=now');
    expect(one.headers.get('content-type')).toBe('application/x-ndjson');
    expect(one.headers.get('x-api-uuid')).toMatch(/^[0-9a-f-]{36}$/);
    const from = await last();
    // At once: on a busy machine one after the other takes as long as a stream lasts.
    await Promise.all(Array.from({ length: 5 }, () => ping()));
    await Promise.all([one.until(5), other.until(5)]);
    expect(one.rows.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5].map((step) => from + step));
    expect(other.rows).toEqual(one.rows);
    one.cut();
    other.cut();
  });

  it('a reader that is disconnected repeatedly misses no row and receives none twice', async () => {
    const from = await last();
    const writing = (async () => {
      for (let count = 0; count < 30; count += 1) {
        await ping();
        await setTimeout(15);
      }
    })();
    const seen: number[] = [];
    while (seen.length < 30) {
      const piece = await stream(`?since=${seen.at(-1) ?? from}`);
      await setTimeout(60 + Math.random() * 120);
      piece.cut();
      await piece.ended;
      seen.push(...piece.rows.map(({ seq }) => seq));
    }
    await writing;
    expect(seen).toEqual(Array.from({ length: 30 }, (_, step) => from + step + 1));
  });

  it('forty concurrent writers leave no gap in a stream', async () => {
    const from = await last();
    const writing = Promise.all(Array.from({ length: 40 }, () => ping()));
    const seen: number[] = [];
    // A stream that has reached its end is resumed: on a busy machine the writes take longer than one lasts.
    while (seen.length < 40) {
      const reader = await stream(`?since=${seen.at(-1) ?? from}`);
      let hasEnded = false;
      const ended = reader.ended.then(() => {
        hasEnded = true;
      });
      await expect.poll(() => hasEnded || seen.length + reader.rows.length >= 40).toBe(true);
      reader.cut();
      await ended;
      seen.push(...reader.rows.map(({ seq }) => seq));
    }
    await writing;
    expect(seen).toEqual(Array.from({ length: 40 }, (_, step) => from + step + 1));
  });

  it('sends server-sent events, and resumes after the last-event-id', async () => {
    const from = await last();
    await ping();
    await ping();
    const headers = { accept: 'text/event-stream', 'last-event-id': String(from + 1) };
    const reader = await stream('?since=0', demo(), headers);
    await reader.until(1);
    expect(reader.headers.get('content-type')).toContain('text/event-stream');
    expect(reader.lines).toContain(`id: ${from + 2}`);
    expect(reader.rows.map(({ seq }) => seq)).toEqual([from + 2]);
    reader.cut();
  });

  it("shows no user another user's changes, signals or sockets", async () => {
    const eve = 'eve:eve-secret-password';
    const mine = await stream('?since=0', eve);
    expect((await started.call('/1/status/demo/changes', { login: eve })).body.code).toBe('mw:auth:not_you');
    const signals = await listen(eve);
    await ping();
    await ping(eve);
    await mine.until(1);
    await expect.poll(() => signals.said.map((text) => JSON.parse(text).last)).toContain(1);
    expect(mine.rows.map(({ seq }) => seq)).toEqual([1]);
    expect(signals.said.every((text) => JSON.parse(text).last <= 1)).toBe(true);
    mine.cut();
    signals.close();
  });

  it('notifies public WebSocket clients of a change, and refuses those without a login', async () => {
    const signals = await listen(demo());
    await ping();
    const now = await last();
    await expect.poll(() => signals.said.map((text) => JSON.parse(text).last)).toContain(now);
    signals.close();
    await expect(listen('demo:wrong')).rejects.toThrow(/40[13]/);
  });

  it('a stream ends at its time limit with a line that says where to resume', async () => {
    await quiet.ended;
    const end = JSON.parse(quiet.lines.findLast((line) => line !== '') ?? '{}');
    expect(end).toEqual({ code: 'status:changes:timeout', status: 408, last_seq: 0 });
    expect(quiet.lines.filter((line) => line === '').length).toBeGreaterThanOrEqual(4);
  });

  /** A socket of a client outside, registered. */
  async function listen(login: string): Promise<{ said: string[]; close(): void }> {
    const socket = new WebSocket(started.service.signalsUrl, ['changes'], { headers: { authorization: basic(login) } });
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    const said: string[] = [];
    socket.on('message', (data) => said.push(String(data)));
    // Whose changes one gets is not one's own to say.
    socket.send(JSON.stringify({ action: 'register', user: 'demo' }));
    // The answer is the first signal.
    await expect.poll(() => said.length).toBeGreaterThan(0);
    const close = () => socket.terminate();
    open.push({ cut: close });
    return { said, close };
  }
});

async function read(answer: Response, onLine: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of answer.body ?? []) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    }
  } catch {
    // It was cut.
  }
}
