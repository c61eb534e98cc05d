import {
  CreateTableCommand,
  DynamoDBClient,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { array, boolean, type InferOutput, looseObject, object, optional, parse, picklist, string } from 'valibot';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/emulators.ts';

const KeySchema = array(object({ AttributeName: string(), KeyType: picklist(['HASH', 'RANGE']) }));
const Index = looseObject({
  IndexName: string(),
  KeySchema,
  Projection: looseObject({
    ProjectionType: picklist(['ALL', 'KEYS_ONLY', 'INCLUDE']),
    NonKeyAttributes: optional(array(string())),
  }),
});

/**
 * The properties that determine a table's behaviour; billing, backups, encryption and protection have no effect here.
 */
const TableProperties = looseObject({
  AttributeDefinitions: array(object({ AttributeName: string(), AttributeType: picklist(['S', 'N', 'B']) })),
  KeySchema,
  GlobalSecondaryIndexes: optional(array(Index), []),
  StreamSpecification: optional(
    looseObject({ StreamViewType: picklist(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']) }),
  ),
  TimeToLiveSpecification: optional(looseObject({ AttributeName: string(), Enabled: boolean() })),
});
type TableProperties = InferOutput<typeof TableProperties>;

const START_LIMIT_SECONDS = 10;

/**
 * Creates a table of the template with its indexes, stream and time to live.
 *
 * @throws ValiError when the properties are not those of a table
 */
export async function createTable(name: string, declared: unknown, endpoints: Endpoints): Promise<void> {
  const client = new DynamoDBClient(clientFor(endpoints.dynamodb));
  const properties = parse(TableProperties, declared);
  const { AttributeDefinitions, KeySchema: keys, GlobalSecondaryIndexes: indexes } = properties;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema: keys,
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes.map(indexOf) }),
      ...streamOf(properties),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: START_LIMIT_SECONDS, minDelay: 0.05 }, { TableName: name });
  const { TimeToLiveSpecification: ttl } = properties;
  if (ttl?.Enabled) {
    await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification: ttl }));
  }
  client.destroy();
}

function indexOf({ IndexName, KeySchema, Projection }: InferOutput<typeof Index>) {
  const { ProjectionType, NonKeyAttributes } = Projection;
  return { IndexName, KeySchema, Projection: { ProjectionType, ...(NonKeyAttributes && { NonKeyAttributes }) } };
}

function streamOf({ StreamSpecification: stream }: TableProperties) {
  if (!stream) return {};
  return { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType } };
}
