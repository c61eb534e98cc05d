import { describe, expect, it } from 'vitest';
import type { Connection } from '../../../../functions/core/ports/signals.ts';
import { type SocketEvent, type SocketRoutes, socketTrigger } from '../../../../functions/triggers/socket.ts';
import { loggedErrors } from '../../../support/events/aws-events.ts';

const INTERNAL = 'internal-api';
const PUBLIC = 'public-api';

function socket(patch: Partial<SocketRoutes> = {}) {
  const seen: unknown[] = [];
  const handler = socketTrigger(
    {
      connect: async (connection: Connection, user: string) => {
        seen.push(['connect', connection, user]);
        return { status: user === '' ? 401 : 200 };
      },
      register: async (connection) => {
        seen.push(['register', connection]);
        return { status: 200, body: { last: 7 } };
      },
      disconnect: async (connection) => void seen.push(['disconnect', connection]),
      other: async () => ({ status: 400, body: { code: 'request:bad_parameter' } }),
      ...patch,
    },
    INTERNAL,
  );
  const send = (
    apiId: string,
    routeKey: string,
    more: Omit<Partial<SocketEvent>, 'requestContext'> & { user?: string } = {},
  ) => {
    const { user, ...event } = more;
    const context = { apiId, routeKey, connectionId: 'c1=', ...(user !== undefined && { authorizer: { user } }) };
    return handler({ ...event, requestContext: context });
  };
  return { seen, send };
}

const lines = loggedErrors();

describe('a connection', () => {
  it('of the public API belongs to whom the authorizer names, whatever its query says', async () => {
    const { seen, send } = socket();
    await send(PUBLIC, '$connect', { user: 'eve', queryStringParameters: { user: 'ann' } });
    expect(seen).toEqual([['connect', { id: 'c1=', side: 'public' }, 'eve']]);
  });

  it('of the public API has no user when there is no authorizer', async () => {
    const { send } = socket();
    expect(await send(PUBLIC, '$connect', { queryStringParameters: { user: 'ann' } })).toMatchObject({
      statusCode: 401,
    });
  });

  it('of the internal API belongs to the user of its signed query', async () => {
    const { seen, send } = socket();
    await send(INTERNAL, '$connect', { queryStringParameters: { user: 'ann' } });
    expect(seen).toEqual([['connect', { id: 'c1=', side: 'internal' }, 'ann']]);
    expect(await send(INTERNAL, '$connect')).toMatchObject({ statusCode: 401 });
  });

  it('is answered with the protocol that the service speaks, never with the one that is a login', async () => {
    const { send } = socket();
    const both = { 'Sec-WebSocket-Protocol': 'changes, basic.YW5uOnNlY3JldA' };
    expect((await send(PUBLIC, '$connect', { user: 'ann', headers: both })).headers).toEqual({
      'Sec-WebSocket-Protocol': 'changes',
    });
    const alone = { 'sec-websocket-protocol': 'basic.YW5uOnNlY3JldA' };
    expect((await send(PUBLIC, '$connect', { user: 'ann', headers: alone })).headers).toEqual({});
  });

  it('can register, disconnect and send an unknown message', async () => {
    const { seen, send } = socket();
    expect(JSON.parse((await send(PUBLIC, 'register')).body)).toEqual({ last: 7 });
    await send(INTERNAL, '$disconnect');
    expect(seen).toEqual([
      ['register', { id: 'c1=', side: 'public' }],
      ['disconnect', { id: 'c1=', side: 'internal' }],
    ]);
    expect(JSON.parse((await send(PUBLIC, '$default')).body)).toEqual({ code: 'request:bad_parameter' });
  });

  it('gets no details of an internal error', async () => {
    const { send } = socket({ register: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7')) });
    const answer = await send(PUBLIC, 'register');
    expect(answer.statusCode).toBe(500);
    expect(answer.body).not.toContain('10.0.0.7');
    expect(lines.join()).toContain('10.0.0.7');
  });
});
