import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { Connections } from '../../../../lib/http/connections.ts';
import { listen } from '../../../../lib/http/ports.ts';

const ends: (() => unknown)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A server whose connections are some of these. */
async function guarded(connections: Connections, party?: string) {
  const server = createServer((_, answer) => answer.end('served'));
  connections.guard(server, () => party);
  const port = await listen(server, 0);
  ends.push(() => server.close().closeAllConnections());
  return async (allowHalfOpen = false): Promise<Socket> => {
    const client = connect({ port, host: '127.0.0.1', allowHalfOpen });
    client.on('error', () => {});
    ends.push(() => client.destroy());
    await once(client, 'connect');
    return client;
  };
}

async function asked(client: Socket): Promise<string> {
  client.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n');
  const [bytes] = await once(client, 'data');
  return String(bytes);
}

it('of one party have a quarter, over all of its servers; another one is told so, and others are served', async () => {
  const connections = new Connections({ most: 8 });
  const [shop, blog] = [await guarded(connections, 'ann'), await guarded(connections, 'ann')];
  const other = await guarded(connections, 'bob');
  const [first] = [await shop(), await blog()];
  const third = await shop();
  expect(await asked(third)).toMatch(/^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*There are too many connections/s);
  await once(third, 'close');
  expect(await asked(await other())).toContain('served');
  first.destroy();
  await expect.poll(async () => asked(await shop())).toContain('served');
});

it('that nobody is at fault for give way to a new one, the longest idle first', async () => {
  const open = await guarded(new Connections({ most: 2 }));
  const [first, second] = [await open(), await open()];
  expect(await asked(first)).toContain('served');
  expect(await asked(await open())).toContain('served');
  if (!second.closed) await once(second.resume(), 'close');
  expect(await asked(first)).toContain('served');
});

it('that are refused are told so at most a hundred at a time', async () => {
  const open = await guarded(new Connections({ most: 8 }), 'ann');
  await Promise.all([open(), open()]);
  const answers = await Promise.all(
    Array.from({ length: 150 }, async () => {
      const client = await open(true);
      const [bytes = ''] = await Promise.race([once(client, 'data'), once(client, 'end').then(() => [])]);
      return String(bytes).slice(0, 12);
    }),
  );
  expect(answers.filter((answer) => answer === 'HTTP/1.1 503')).toHaveLength(100);
});
