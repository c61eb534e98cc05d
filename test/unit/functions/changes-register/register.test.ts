import { beforeEach, describe, expect, it } from 'vitest';
import { register } from '../../../../functions/changes-register/register.ts';
import { memoryConnections } from '../../../fakes/signals.ts';

function world(watch: (user: string) => Promise<number> = async () => 0) {
  const connections = memoryConnections();
  return { connections, routes: register({ connections, watch }) };
}

const socket = { id: 'c1', side: 'public' } as const;

let { connections, routes } = world();
beforeEach(() => {
  ({ connections, routes } = world());
});

describe('a WebSocket connection', () => {
  it('is not listed before it registers, because it cannot be posted to while it opens', async () => {
    expect(await routes.connect(socket, 'ann')).toEqual({ status: 200 });
    expect(await connections.list('ann')).toEqual([]);
  });

  it('is refused and not stored without a user', async () => {
    expect(await routes.connect(socket, '')).toEqual({ status: 401 });
    expect((await routes.register(socket)).status).toBe(410);
  });

  it('receives the number of the last change after it is registered, so that no change is missed', async () => {
    const listed: unknown[] = [];
    const { connections, routes } = world(async (user) => {
      listed.push(await connections.list(user));
      return 42;
    });
    await routes.connect(socket, 'ann');
    expect(await routes.register(socket)).toEqual({ status: 200, body: { last: 42 } });
    expect(listed).toEqual([[socket]]);
  });

  it('is removed when it closes, registered or not', async () => {
    await routes.connect(socket, 'ann');
    await routes.register(socket);
    await routes.disconnect(socket);
    await routes.disconnect(socket);
    expect(await connections.list('ann')).toEqual([]);
    expect((await routes.register(socket)).status).toBe(410);
  });

  it('receives an error that names the only valid message when it sends another', async () => {
    expect(await routes.other(socket)).toMatchObject({ status: 400, body: { code: 'request:bad_parameter' } });
  });
});
