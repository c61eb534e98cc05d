import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { webSocketSignals } from '../../../../../functions/adapters/signals/websocket.ts';
import { entry } from '../../../../support/entries.ts';

/** A socket server that keeps what it is told. */
async function serve(onMessage: (socket: WebSocket, text: string) => void = answerWith(1)) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const said: string[] = [];
  let opened = 0;
  server.on('connection', (socket) => {
    opened += 1;
    socket.on('message', (data) => {
      said.push(String(data));
      onMessage(socket, String(data));
    });
  });
  const close = async () => {
    for (const socket of server.clients) socket.terminate();
    await new Promise((resolve) => server.close(resolve));
  };
  cleanups.push(close);
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/?signature=canary`;
  return { server, said, url, close, opened: () => opened };
}

const answerWith = (last: number) => (socket: WebSocket) => socket.send(JSON.stringify({ last }));

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function follow(address: () => Promise<string>, options: { renewMs?: number } = {}) {
  const heard: (number | null)[] = [];
  const along: unknown[] = [];
  const traced: unknown[] = [];
  const signals = webSocketSignals({
    address,
    trace: (event, fields) => traced.push([event, fields]),
    backoffMs: 5,
    ...options,
  });
  const subscription = signals.subscribe('ann', (last, changes) => {
    heard.push(last);
    along.push(changes);
  });
  cleanups.push(() => subscription.close());
  return { heard, along, traced, subscription };
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { interval: 5 }).toBe(true);
}

describe('signals over a WebSocket', () => {
  it('register when the connection is open, and start with the number of the last change', async () => {
    const { url, said, server } = await serve(answerWith(41));
    const { heard } = follow(async () => url);
    await until(() => heard.includes(41));
    expect(said).toEqual(['{"action":"register"}']);
    for (const socket of server.clients) socket.send('{"last":42}');
    await until(() => heard.includes(42));
  });

  it('include the changes of a message and ignore malformed ones', async () => {
    // A manifest may nest a hundred levels deep, and is a part of a change.
    const engines = JSON.parse(`${'{"a":'.repeat(98)}1${'}'.repeat(98)}`);
    const of = (seq: number) => ({ seq, kind: 'push' });
    const large = { ...of(2), message: 'x'.repeat(32 * 1024), manifest: { engines } };
    const { url } = await serve((socket) => {
      for (const changes of [[of(1), large], [null, 'x', { seq: '3' }, of(3)], 'x', undefined]) {
        socket.send(JSON.stringify({ last: 3, changes }));
      }
    });
    const { along } = follow(async () => url);
    await until(() => along.length === 4);
    expect(along).toEqual([[of(1), large], [of(3)], [], []]);
  });

  it('include the changes as the log returns them, also those of 1.0.0, which stored no kind, and `order` as `place`', async () => {
    const changed = entry({ order: 7, seq: 9 });
    const { kind: _, order: place, ...of100 } = changed;
    const changes = [changed, { ...of100, place }];
    const { url } = await serve((socket) => socket.send(JSON.stringify({ last: 9, changes })));
    const { along } = follow(async () => url);
    await until(() => along.length === 1);
    expect(along).toEqual([[changed, changed]]);
  });

  it('reconnect after the connection breaks, and report that signals may have been missed', async () => {
    const { url, server, opened } = await serve();
    let asked = 0;
    const { heard } = follow(async () => {
      asked += 1;
      return url;
    });
    await until(() => opened() === 1 && heard.includes(1));
    for (const socket of server.clients) socket.terminate();
    await until(() => opened() === 2 && heard.filter((last) => last === 1).length === 2);
    expect(heard).toEqual([1, null, 1]);
    // A signed address is good for a minute only.
    expect(asked).toBe(2);
  });

  it('reconnect when the server is unreachable, when signing fails and when the server refuses', async () => {
    const { url, close } = await serve();
    await close();
    const addresses = [async () => url, async () => Promise.reject(new Error('no credentials: canary'))];
    let tries = 0;
    const { heard, traced } = follow(() => {
      tries += 1;
      return (addresses[tries % 2] ?? (async () => url))();
    });
    await until(() => tries >= 4);
    expect(heard.every((last) => last === null)).toBe(true);
    // Neither the address, which is as good as a login, nor a message that may hold it.
    expect(JSON.stringify(traced)).not.toMatch(/canary|127\.0\.0\.1/);
  });

  it('ignore messages that are not signals', async () => {
    const nonsense = ['', 'x', '[]', '{"last":"7"}', '{"last":-1}', '{"last":1.5}', '{"message":"Forbidden"}'];
    const { url } = await serve((socket) => {
      for (const text of [...nonsense, '{"last":3}']) socket.send(text);
    });
    const { heard } = follow(async () => url);
    await until(() => heard.length > 0);
    expect(heard).toEqual([3]);
  });

  it('keep the connection open by registering again', async () => {
    const { url, said } = await serve();
    follow(async () => url, { renewMs: 20 });
    await until(() => said.length >= 3);
    expect(new Set(said)).toEqual(new Set(['{"action":"register"}']));
  });

  it('stop when the subscription is closed, even while the address is being signed', async () => {
    const { url, server, opened } = await serve();
    const { subscription, heard } = follow(async () => url);
    await until(() => heard.length > 0);
    subscription.close();
    subscription.close();
    await until(() => server.clients.size === 0);
    let sign = (_: string) => {};
    const late = follow(() => new Promise((resolve) => (sign = resolve)));
    late.subscription.close();
    sign(url);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([opened(), late.heard]).toEqual([1, []]);
  });
});
