import type { Connections } from '../core/ports/connections.ts';
import type { LogReader } from '../core/ports/log-reader.ts';
import type { SocketRoutes } from '../triggers/socket.ts';

/** What keeping the book of connections needs. */
export interface RegisterPorts {
  readonly connections: Pick<Connections, 'open' | 'register' | 'close'>;
  readonly log: Pick<LogReader, 'last'>;
}

/**
 * Who is to be told of whose changes. A connection is its user's from `$connect` on and nothing that is sent through it
 * can change that. The answer to `register` is a first signal, `{"last": n}`: read after the registration, so that each
 * change is either in it or told of.
 */
export function register({ connections, log }: RegisterPorts): SocketRoutes {
  return {
    connect: async (connection, user) => {
      if (user === '') return { status: 401 };
      await connections.open(connection, user);
      return { status: 200 };
    },
    register: async (connection) => {
      const user = await connections.register(connection);
      if (user === null) return { status: 410, body: { code: 'status:changes:timeout', status: 408 } };
      return { status: 200, body: { last: await log.last(user) } };
    },
    disconnect: ({ id }) => connections.close(id),
    other: async () => ({
      status: 400,
      body: { code: 'request:bad_parameter', status: 400, detail: 'The only message is {"action":"register"}.' },
    }),
  };
}
