import { describe, expect, it } from 'vitest';
import { register } from '../../../../functions/changes-register/register.ts';
import { memoryConnections } from '../../../fakes/signals.ts';

function world(last: (user: string) => Promise<number> = async () => 0) {
  const connections = memoryConnections();
  return { connections, routes: register({ connections, log: { last } }) };
}

const socket = { id: 'c1', side: 'public' } as const;

describe('a connection', () => {
  it('is told of nothing before it registers, because it cannot be posted to while it opens', async () => {
    const { connections, routes } = world();
    expect(await routes.connect(socket, 'ann')).toEqual({ status: 200 });
    expect(await connections.list('ann')).toEqual([]);
  });

  it('of nobody is refused and not remembered', async () => {
    const { routes } = world();
    expect(await routes.connect(socket, '')).toEqual({ status: 401 });
    expect((await routes.register(socket)).status).toBe(410);
  });

  it('learns how far its user’s log is when it is registered already, so that no change falls between', async () => {
    const listed: unknown[] = [];
    const { connections, routes } = world(async (user) => {
      listed.push(await connections.list(user));
      return 42;
    });
    await routes.connect(socket, 'ann');
    expect(await routes.register(socket)).toEqual({ status: 200, body: { last: 42 } });
    expect(listed).toEqual([[socket]]);
  });

  it('may register again and again, and is one connection', async () => {
    const { connections, routes } = world();
    await routes.connect(socket, 'ann');
    await routes.register(socket);
    await routes.register(socket);
    expect(await connections.list('ann')).toEqual([socket]);
  });

  it('is forgotten when it ends, registered or not', async () => {
    const { connections, routes } = world();
    await routes.connect(socket, 'ann');
    await routes.register(socket);
    await routes.disconnect(socket);
    await routes.disconnect(socket);
    expect(await connections.list('ann')).toEqual([]);
    expect((await routes.register(socket)).status).toBe(410);
  });

  it('that says something else is told what it may say', async () => {
    const { routes } = world();
    expect(await routes.other(socket)).toMatchObject({ status: 400, body: { code: 'request:bad_parameter' } });
  });
});
