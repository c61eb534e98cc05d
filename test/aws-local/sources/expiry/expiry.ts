import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import { array, boolean, looseObject, number, optional, parse, string } from 'valibot';
import { clientFor } from '../../clients.ts';
import type { Endpoints } from '../../emulators/emulators.ts';
import type { Closable, Warn } from '../../invoke/invoker.ts';
import { nameOfResource } from '../../resources/resources.ts';
import type { Template } from '../../template/template.ts';
import { deleteExpiredItems, type Expiring as ExpiringItems } from './items.ts';

const TableProperties = looseObject({
  TimeToLiveSpecification: optional(looseObject({ AttributeName: string(), Enabled: boolean() })),
});

const Rule = looseObject({ Status: string(), Prefix: optional(string(), ''), ExpirationInDays: optional(number()) });
const BucketProperties = looseObject({
  LifecycleConfiguration: optional(looseObject({ Rules: optional(array(Rule), []) })),
});

const DEFAULT_INTERVAL_MS = 10 * 60_000;

/**
 * Deletes expired items of tables with a time to live, and expired objects of buckets with an expiration rule, at the
 * start and then every ten minutes. AWS does this itself, the emulators do not. In the stream such a deletion looks
 * like any other.
 */
export function startExpiry(options: {
  template: Template;
  endpoints: Pick<Endpoints, 'dynamodb' | 's3'>;
  warn: Warn;
  intervalMs?: number;
}): Closable {
  const { template, endpoints, warn, intervalMs = DEFAULT_INTERVAL_MS } = options;
  const stop = new AbortController();
  // Every loop and running request listens to this signal; Node warns of a leak from eleven listeners on.
  setMaxListeners(0, stop.signal);
  const { signal } = stop;
  const database = new DynamoDBClient(clientFor(endpoints.dynamodb));
  const storage = new S3Client(clientFor(endpoints.s3));
  const sweeps = [
    ...tablesOf(template).map((items) => () => deleteExpiredItems({ ...items, client: database, signal })),
    ...bucketsOf(template).map((objects) => () => deleteExpiredObjects({ ...objects, client: storage, signal })),
  ];
  const loops = sweeps.map((sweep) => repeat(sweep, { signal, warn, intervalMs }));
  return {
    close: async () => {
      stop.abort();
      await Promise.all(loops);
      database.destroy();
      storage.destroy();
    },
  };
}

async function repeat(
  sweep: () => Promise<void>,
  { signal, warn, intervalMs }: { signal: AbortSignal; warn: Warn; intervalMs: number },
): Promise<void> {
  while (!signal.aborted) {
    await sweep().catch((error: Error) => {
      if (!signal.aborted) warn(`Expired items or objects could not be deleted: ${error.message}`);
    });
    await sleep(intervalMs, undefined, { signal }).catch(() => {});
  }
}

function tablesOf(template: Template): ExpiringItems[] {
  const tables = [...template.ofType('AWS::DynamoDB::Table'), ...template.ofType('AWS::DynamoDB::GlobalTable')];
  return tables.flatMap((table) => {
    const { TimeToLiveSpecification: ttl } = parse(TableProperties, table.properties);
    return ttl?.Enabled ? [{ table: nameOfResource(table), attribute: ttl.AttributeName }] : [];
  });
}

function bucketsOf(template: Template): Expiring[] {
  return template.ofType('AWS::S3::Bucket').flatMap((bucket) => {
    const { LifecycleConfiguration } = parse(BucketProperties, bucket.properties);
    return (LifecycleConfiguration?.Rules ?? []).flatMap(({ Status, Prefix: prefix, ExpirationInDays: days }) =>
      Status === 'Enabled' && days !== undefined ? [{ bucket: nameOfResource(bucket), prefix, days }] : [],
    );
  });
}

/** An expiration rule of a bucket. */
export interface Expiring {
  readonly bucket: string;
  readonly prefix: string;
  readonly days: number;
}

interface Sweep extends Expiring {
  readonly client: S3Client;
  readonly signal: AbortSignal;
}

const DAY_MS = 86_400_000;

/**
 * Deletes the objects that are older than their rule allows. (S3 rounds up to the next midnight; this does not.)
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-expire-general-considerations.html
 */
export async function deleteExpiredObjects({ bucket, prefix, days, client, signal }: Sweep): Promise<void> {
  const before = new Date(Date.now() - days * DAY_MS);
  for await (const { Contents = [] } of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix })) {
    for (const { Key, LastModified } of Contents) {
      if (signal.aborted) return;
      if (LastModified && LastModified <= before) await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }));
    }
  }
}
