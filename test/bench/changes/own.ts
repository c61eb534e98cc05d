import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDbLog } from '../../../functions/adapters/stores/dynamodb/log.ts';
import { systemClock } from '../../../functions/adapters/system/clock.ts';
import { systemIds } from '../../../functions/adapters/system/ids.ts';
import { row } from '../../../functions/core/entry/views.ts';
import type { clientFor } from '../../aws-local/clients.ts';
import { append, entry } from '../../support/entries.ts';
import { startChild } from '../child.ts';
import { getRequest, type MeasuredFeed } from './feed.ts';

/** What the benchmark's service prints when it is ready. */
export interface Service {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly pid: number;
  /** How a client of its database is made. */
  readonly dynamodb: ReturnType<typeof clientFor>;
  readonly logTable: string;
}

/** Returns a row with its document, the same for all feeds. */
export function document(seq: number): Record<string, unknown> {
  return row(entry({ seq, uuid: randomUUID() }), { base: 'http://127.0.0.1:8080', docs: 'true' });
}

/**
 * Starts the service as `npm start` runs it. Another process writes rows as transactions into its database: so the
 * response is the commit, and the service learns of a row only from the table's stream.
 */
export async function ownFeed(folder: string, database = ''): Promise<MeasuredFeed> {
  const service = await startChild<Service>('service.ts', [folder, '0', database]);
  const { url, user, password, pid, dynamodb, logTable } = service.ready;
  const client = new DynamoDBClient(dynamodb);
  const log = dynamoDbLog({ client, table: logTable, clock: systemClock, ids: systemIds });
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  return {
    name: 'this service',
    port: Number(new URL(url).port),
    pid,
    fresh: async () => ({
      request: getRequest(`/1/status/${user}/changes?since=now&include_docs=true`, authorization),
      write: async () => (await append(log, { user, status: 'skipped', uuid: randomUUID() })).seq,
    }),
    close: async () => {
      client.destroy();
      await service.close();
    },
  };
}
