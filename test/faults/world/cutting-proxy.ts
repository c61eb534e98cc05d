import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../../lib/http/ports.ts';

/** What becomes of a connection: after so many bytes to the server, or from it, it is cut or held. */
interface Fate {
  readonly side: 'request' | 'answer';
  readonly bytes: number;
  readonly end: 'cut' | 'held';
}

/** A TCP proxy for one git command at a time, whose connections it cuts or holds. */
export interface CuttingProxy {
  readonly port: number;
  /** Resolves when a connection has met its fate. */
  readonly met: Promise<void>;
  close(): Promise<void>;
}

/** Counts the bytes of all connections together: git uses several for a push. */
export async function cuttingProxy(port: number, { side, bytes, end }: Fate): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let passed = 0;
  let meet: () => void = () => {};
  const met = new Promise<void>((resolve) => {
    meet = resolve;
  });
  const pass = (from: Socket, to: Socket, isCounted: boolean) => {
    sockets.add(from);
    from.on('error', () => {}).once('close', () => to.destroy());
    from.on('data', (chunk: Buffer) => {
      const rest = isCounted ? bytes - passed : chunk.length;
      if (isCounted) passed += chunk.length;
      if (rest > 0) to.write(chunk.subarray(0, rest));
      if (rest >= chunk.length) return;
      meet();
      if (end === 'held') return void from.pause();
      // What was sent before must arrive.
      to.end(() => to.destroy());
      from.destroy();
    });
  };
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1');
    pass(client, upstream, side === 'request');
    pass(upstream, client, side === 'answer');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: portOf(server),
    met,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((closed) => server.close(closed));
    },
  };
}
