import { once } from 'node:events';
import { connect } from 'node:net';
import { startChild } from '../child.ts';
import type { MeasuredFeed } from './feed.ts';
import { document } from './own.ts';

/**
 * Starts a bare fan-out as the lower bound: a Node process that writes each line to all sockets and stores nothing,
 * like a minimal publish/subscribe server.
 */
export async function fanOut(): Promise<MeasuredFeed> {
  const server = await startChild<{ port: number; publish: number; pid: number }>('changes/fan-out-server.ts', []);
  const publisher = connect(server.ready.publish, '127.0.0.1').setNoDelay(true);
  await once(publisher, 'connect');
  let seq = 0;
  return {
    name: 'bare fan-out',
    port: server.ready.port,
    pid: server.ready.pid,
    fresh: async () => {
      seq = 0;
      return {
        request: '\n',
        write: async () => {
          seq += 1;
          publisher.write(`${JSON.stringify(document(seq))}\n`);
          await once(publisher, 'data');
          return seq;
        },
      };
    },
    close: async () => {
      publisher.destroy();
      await server.close();
    },
  };
}
