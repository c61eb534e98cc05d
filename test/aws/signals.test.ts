import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import WebSocket from 'ws';
import { presign } from '../../functions/adapters/signals/presign.ts';
import { dynamoDbConnections } from '../../functions/adapters/stores/dynamodb/connections/connections.ts';
import { systemClock } from '../../functions/adapters/system/clock.ts';
import type { ConnectionRegistry } from '../../functions/core/ports/signals.ts';
import { CREDENTIALS, clientFor } from '../aws-local/clients.ts';
import type { Started } from '../support/service/started.ts';
import type { EmulatedService } from './service/start.ts';
import { startStackForTest } from './service/started.ts';

describe('signals of changes on one machine', () => {
  let started: Started<EmulatedService>;
  const sockets: WebSocket[] = [];

  beforeAll(async () => {
    started = await startStackForTest({ name: 'signals', parameters: { ChangesSeconds: '600' } });
    for (const user of ['eve', 'gone']) await started.addUser({ user, password: `${user}-secret-password` });
  });
  afterAll(async () => {
    for (const socket of sockets) socket.terminate();
    await started.close();
  });

  const inside = () => {
    const { sockets: urls } = started.service.runtime;
    const found = Object.entries(urls).find(([id]) => id.startsWith('ChangesInside'));
    if (!found) throw new Error('There is no inside socket.');
    return `${found[1]}/`;
  };
  const outside = () => started.service.runtime.template.outputs.SignalsUrl ?? '';
  const sign = (user: string, secretAccessKey: string = CREDENTIALS.secretAccessKey) =>
    presign(
      inside(),
      { user },
      new DynamoDBClient({ credentials: { ...CREDENTIALS, secretAccessKey }, region: 'us-east-1' }).config,
    );

  /** A socket that is open; rejects with the refusal. */
  async function connect(url: string, protocols: string[] = []): Promise<{ socket: WebSocket; said: string[] }> {
    const socket = new WebSocket(url, protocols);
    sockets.push(socket);
    const said: string[] = [];
    socket.on('message', (data) => said.push(String(data)));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return { socket, said };
  }

  const ping = (user: string, secret: string) =>
    started.call('/1/deploy', {
      method: 'POST',
      login: `${user}:${secret}`,
      headers: { 'x-github-event': 'ping', 'content-type': 'application/json' },
      body: JSON.stringify({ zen: 'Keep it logically awesome.', hook: { events: ['push'] } }),
    });

  async function registry(): Promise<ConnectionRegistry> {
    const client = new DynamoDBClient(clientFor(started.service.runtime.endpoints.dynamodb));
    const { TableNames = [] } = await client.send(new ListTablesCommand({}));
    const table = TableNames.find((name) => name.includes('ChangesConnections')) ?? '';
    return dynamoDbConnections({ client, table, clock: systemClock });
  }

  it('the internal WebSocket API accepts only a signature for the user it names', async () => {
    await expect(connect(inside())).rejects.toThrow('403');
    await expect(connect(`${inside()}?user=demo`)).rejects.toThrow('403');
    await expect(connect(await sign('demo', 'guessed'))).rejects.toThrow('403');
    await expect(connect((await sign('eve')).replace('user=eve', 'user=demo'))).rejects.toThrow('403');
    await expect(connect(`${await sign('eve')}&user=demo`)).rejects.toThrow('403');
  });

  it('a registered internal connection receives the last sequence number, and then every change of its user', async () => {
    await ping('eve', 'eve-secret-password');
    const { socket, said } = await connect(await sign('eve'));
    const silent = await connect(await sign('eve'));
    socket.send('{"action":"register"}');
    // The signal of the change itself may come late, and be heard too.
    await expect.poll(() => [...new Set(said.map((text) => JSON.parse(text).last))]).toEqual([1]);
    await ping('demo', started.service.login.password);
    await ping('eve', 'eve-secret-password');
    await expect.poll(() => said.map((text) => JSON.parse(text).last)).toContain(2);
    expect(Math.max(...said.map((text) => JSON.parse(text).last))).toBe(2);
    const row = { user: 'eve', seq: 2, provider: 'github', status: 'skipped' };
    expect(said.map((text) => JSON.parse(text)).find(({ last }) => last === 2)).toMatchObject({ changes: [row] });
    expect(silent.said).toEqual([]);
  });

  it('a browser logs in by a WebSocket subprotocol and is answered with the other one', async () => {
    const login = (text: string) => `basic.${Buffer.from(text).toString('base64url')}`;
    const { socket, said } = await connect(outside(), ['changes', login('eve:eve-secret-password')]);
    expect(socket.protocol).toBe('changes');
    socket.send('{"action":"register","user":"demo"}');
    await expect.poll(() => said.length).toBeGreaterThan(0);
    expect(JSON.parse(said[0] ?? '')).toEqual({ last: 2 });
    await ping('eve', 'eve-secret-password');
    await expect.poll(() => said.map((text) => JSON.parse(text))).toContainEqual({ last: 3 });
    await expect(connect(outside(), ['changes', login('eve:wrong')])).rejects.toThrow('403');
    await expect(connect(`${outside()}?user=eve&authorization=${login('eve:eve-secret-password')}`)).rejects.toThrow(
      '403',
    );
    await expect(connect(await sign('eve').then((url) => url.replace(inside(), `${outside()}/`)))).rejects.toThrow(
      '403',
    );
  });

  it('a connection whose end was not told is removed from the registry at the next change', async () => {
    const connections = await registry();
    const listed = () => connections.list('gone');
    const { socket } = await connect(await sign('gone'));
    socket.send('{"action":"register"}');
    await expect.poll(async () => (await listed()).length).toBe(1);
    const [connection] = await listed();
    if (!connection) throw new Error('The connection is not listed.');
    socket.close();
    await expect.poll(listed).toEqual([]);
    await connections.open(connection, 'gone');
    await connections.register(connection);
    await ping('gone', 'gone-secret-password');
    await expect.poll(listed).toEqual([]);
  });
});
