import { expect } from 'vitest';
import { openSocket, refusedSocket } from '../../support/aws-local/socket-client.ts';
import { type Item, loginOf } from './item.ts';

export const socketAuthorizer: Item = {
  title: 'The authorizer of the WebSocket was created, and decides',
  expected: 'a login is let in, and a wrong one gets 403',
  answer: async ({ signals, ...login }) => {
    const { socket, next } = await openSocket(signals, { headers: loginOf(login) });
    socket.send('{"action":"register"}');
    expect(JSON.parse(await next())).toEqual({ last: expect.any(Number) });
    socket.terminate();
    const wrong = await refusedSocket(signals, { headers: loginOf({ ...login, secret: 'wrong' }) });
    expect(wrong.status).toBe(403);
    return 'a login is let in, and a wrong one gets 403';
  },
};

export const stageVariables: Item = {
  title:
    'The API was imported with its login and its own errors, into which the gateway puts the variables of the stage',
  expected: 'their `type` is the address of the service',
  answer: async ({ url, user }) => {
    const response = await fetch(`${url}/1/status/${user}/webhooks`);
    const { type } = (await response.json()) as { type: string };
    expect([response.status, type]).toEqual([401, `${url}/errors#mw:auth:unauthorized`]);
    return type;
  },
};
