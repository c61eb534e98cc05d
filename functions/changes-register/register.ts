import type { ConnectionRegistry } from '../core/ports/signals.ts';
import type { SocketRoutes } from '../triggers/socket.ts';

interface RegisterPorts {
  readonly connections: Pick<ConnectionRegistry, 'open' | 'register' | 'close'>;
  /** Signals the changes of a user from now on, and returns the number of the last one. */
  readonly watch: (user: string) => Promise<number>;
}

export const UNKNOWN_ACTION = {
  status: 400,
  body: { code: 'request:bad_parameter', status: 400, detail: 'The only message is {"action":"register"}.' },
} as const;

/**
 * Returns the routes of the WebSocket APIs. A connection belongs to the user that `$connect` authenticated, and no
 * message can change that. The answer to `register` is the first signal, `{"last": n}`: it is read after the
 * registration, so every later change is signalled.
 */
export function register({ connections, watch }: RegisterPorts): SocketRoutes {
  return {
    connect: async (connection, user) => {
      if (user === '') return { status: 401 };
      await connections.open(connection, user);
      return { status: 200 };
    },
    register: async (connection) => {
      const user = await connections.register(connection);
      if (user === null) return { status: 410, body: { code: 'status:changes:timeout', status: 408 } };
      return { status: 200, body: { last: await watch(user) } };
    },
    disconnect: ({ id }) => connections.close(id),
    other: async () => UNKNOWN_ACTION,
  };
}
