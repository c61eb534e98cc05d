import { CreateTableCommand, DynamoDBClient, waitUntilTableExists } from '@aws-sdk/client-dynamodb';
import { array, looseObject, object, optional, parse, picklist, string } from 'valibot';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/emulators.ts';

const KeySchema = array(object({ AttributeName: string(), KeyType: picklist(['HASH', 'RANGE']) }));
const Index = object({
  IndexName: string(),
  KeySchema,
  Projection: object({ ProjectionType: picklist(['ALL', 'KEYS_ONLY']) }),
});

/**
 * The properties that determine a table's behaviour; billing, backups, encryption, protection and time to live have no effect here.
 */
const TableProperties = looseObject({
  AttributeDefinitions: array(object({ AttributeName: string(), AttributeType: picklist(['S', 'N', 'B']) })),
  KeySchema,
  GlobalSecondaryIndexes: optional(array(Index), []),
  StreamSpecification: optional(
    looseObject({ StreamViewType: picklist(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']) }),
  ),
});

const START_LIMIT_SECONDS = 10;

/**
 * Creates a table of the template with its indexes and stream.
 *
 * @throws ValiError when the properties are not those of a table
 */
export async function createTable(name: string, declared: unknown, endpoints: Endpoints): Promise<void> {
  const client = new DynamoDBClient(clientFor(endpoints.dynamodb));
  const table = parse(TableProperties, declared);
  const { AttributeDefinitions, KeySchema: keys, GlobalSecondaryIndexes: indexes, StreamSpecification: stream } = table;
  await client.send(
    new CreateTableCommand({
      TableName: name,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions,
      KeySchema: keys,
      ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
      ...(stream && { StreamSpecification: { StreamEnabled: true, StreamViewType: stream.StreamViewType } }),
    }),
  );
  await waitUntilTableExists({ client, maxWaitTime: START_LIMIT_SECONDS, minDelay: 0.05 }, { TableName: name });
  client.destroy();
}
