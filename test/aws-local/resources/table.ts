import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb';
import { array, boolean, type InferOutput, looseObject, object, optional, parse, picklist, string } from 'valibot';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/endpoints.ts';

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

interface Table {
  readonly client: DynamoDBClient;
  readonly name: string;
  readonly properties: TableProperties;
}

const START_LIMIT_SECONDS = 10;

/**
 * Creates a table of the template with its indexes, stream and time to live. A table that exists keeps its data and
 * gets the indexes and the stream that a newer template has added.
 *
 * @throws ValiError when the properties are not those of a table
 */
export async function createTable(name: string, declared: unknown, endpoints: Endpoints): Promise<void> {
  const client = new DynamoDBClient(clientFor(endpoints.dynamodb));
  const table = { client, name, properties: parse(TableProperties, declared) };
  if (!(await create(table))) await complete(table);
  await expire(table);
  client.destroy();
}

async function create({ client, name, properties }: Table): Promise<boolean> {
  try {
    await client.send(
      new CreateTableCommand({
        TableName: name,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: properties.AttributeDefinitions,
        KeySchema: properties.KeySchema,
        ...(properties.GlobalSecondaryIndexes.length > 0 && {
          GlobalSecondaryIndexes: properties.GlobalSecondaryIndexes.map(indexOf),
        }),
        ...streamOf(properties),
      }),
    );
  } catch (error) {
    if (error instanceof ResourceInUseException) return false;
    throw error;
  }
  await waitUntilTableExists({ client, maxWaitTime: START_LIMIT_SECONDS, minDelay: 0.05 }, { TableName: name });
  return true;
}

async function complete({ client, name, properties }: Table): Promise<void> {
  const { Table: existing } = await client.send(new DescribeTableCommand({ TableName: name }));
  const known = new Set(existing?.GlobalSecondaryIndexes?.map((index) => index.IndexName));
  for (const index of properties.GlobalSecondaryIndexes.filter(({ IndexName }) => !known.has(IndexName))) {
    await client.send(
      new UpdateTableCommand({
        TableName: name,
        AttributeDefinitions: properties.AttributeDefinitions,
        GlobalSecondaryIndexUpdates: [{ Create: indexOf(index) }],
      }),
    );
  }
  if (existing?.LatestStreamArn || !properties.StreamSpecification) return;
  await client.send(new UpdateTableCommand({ TableName: name, ...streamOf(properties) }));
}

/** Some DynamoDB-compatible servers reject a time to live that is already set, so it is read first. */
async function expire({ client, name, properties }: Table): Promise<void> {
  const { TimeToLiveSpecification: wanted } = properties;
  if (!wanted?.Enabled) return;
  const { TimeToLiveDescription: existing } = await client.send(new DescribeTimeToLiveCommand({ TableName: name }));
  if (existing?.AttributeName === wanted.AttributeName && existing.TimeToLiveStatus === 'ENABLED') return;
  const TimeToLiveSpecification = { AttributeName: wanted.AttributeName, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: name, TimeToLiveSpecification }));
}

function indexOf({ IndexName, KeySchema, Projection }: InferOutput<typeof Index>) {
  const { ProjectionType, NonKeyAttributes } = Projection;
  return { IndexName, KeySchema, Projection: { ProjectionType, ...(NonKeyAttributes && { NonKeyAttributes }) } };
}

function streamOf({ StreamSpecification: stream }: TableProperties) {
  if (!stream) return {};
  return { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType } };
}
