import { mkdirSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { startDynamoDb } from '../../aws-local/emulators/dynamodb.ts';
import type { MeasuredFeed } from './feed.ts';
import { ownFeed } from './own.ts';

/**
 * Starts the service with a proxy in front of its database that counts the reads of its functions for watchers. The
 * writer's transactions and reads of the table's stream, which AWS does not charge, are not counted.
 */
export async function countedFeed(folder: string): Promise<MeasuredFeed> {
  mkdirSync(folder, { recursive: true });
  const database = await startDynamoDb({ file: join(folder, 'counted.sqlite') });
  const door = await countingDoor(database.endpoint);
  const feed = await ownFeed(join(folder, 'service'), door.url);
  return {
    ...feed,
    reads: door.reads,
    close: async () => {
      await feed.close();
      door.close();
      await database.close();
    },
  };
}

async function countingDoor(target: string) {
  let reads = 0;
  const server = createServer((asked, answer) => {
    const operation = String(asked.headers['x-amz-target']);
    if (/^DynamoDB_.*\.(?:Query|GetItem|BatchGetItem|TransactGetItems)$/.test(operation)) reads += 1;
    const { method = 'GET', headers } = asked;
    const passed = request(target, { method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 502, given.headers);
      given.pipe(answer);
    });
    passed.once('error', () => answer.destroy());
    asked.pipe(passed);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    reads: () => reads,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
