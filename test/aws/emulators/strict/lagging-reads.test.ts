import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchWriteItemCommand,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type DynamoDb, startDynamoDb } from '../../../aws-local/emulators/dynamodb.ts';
import { permissionsOf } from '../../../aws-local/permissions/permissions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const role = 'arn:aws:iam::000000000000:role/Reader';
const Action = ['GetItem', 'Query', 'PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem'].map(
  (name) => `dynamodb:${name}`,
);
const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Notes';
const Statement = [{ Effect: 'Allow', Action, Resource: [table, `${table}/index/*`] }];
const permissions = permissionsOf(
  templateOf({
    Read: ['AWS::Lambda::Function', { Role: role }],
    Reader: ['AWS::IAM::Role', { Policies: [{ PolicyDocument: { Statement } }] }],
  }),
  () => {},
);
/** Longer than a read takes on a busy machine. */
const lag = { seed: 1, fromMs: 700, toMs: 800 };
const TableName = 'Notes';
const key = (id: string) => ({ id: { S: id } });
const item = (id: string, state: string) => ({ ...key(id), state: { S: state } });

describe('Reads of functions on a strict runner', () => {
  let database: DynamoDb;
  let operator: DynamoDBClient;
  let client: DynamoDBClient;
  beforeAll(async () => {
    database = await startDynamoDb({ guard: permissions.guard, lag });
    operator = new DynamoDBClient(clientFor(database.endpoint));
    client = new DynamoDBClient({ ...clientFor(database.endpoint), credentials: permissions.credentialsOf('Read') });
    await operator.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
        AttributeDefinitions: ['id', 'state'].map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
        GlobalSecondaryIndexes: [
          {
            IndexName: 'byState',
            KeySchema: [{ AttributeName: 'state', KeyType: 'HASH' }],
            Projection: { ProjectionType: 'ALL' },
          },
        ],
      }),
    );
  });
  afterAll(async () => {
    operator.destroy();
    client.destroy();
    await database.close();
  });

  const inState = async (state: string, from = client) => {
    const asked = {
      ...{ TableName, IndexName: 'byState', KeyConditionExpression: '#state = :state' },
      ...{ ExpressionAttributeNames: { '#state': 'state' }, ExpressionAttributeValues: { ':state': { S: state } } },
    };
    const { Items = [] } = await from.send(new QueryCommand(asked));
    return Items.map(({ id }) => id?.S).sort();
  };

  it('an index has a write some time later; a consistent read and the person who started it see it at once', async () => {
    await client.send(new PutItemCommand({ TableName, Item: item('one', 'new') }));
    expect(await inState('new')).toEqual([]);
    expect(await inState('new', operator)).toEqual(['one']);
    const read = { TableName, Key: key('one') };
    expect((await client.send(new GetItemCommand(read))).Item).toBeUndefined();
    expect((await client.send(new GetItemCommand({ ...read, ConsistentRead: true }))).Item).toBeDefined();
    await expect.poll(() => inState('new')).toEqual(['one']);
    expect((await client.send(new GetItemCommand(read))).Item).toEqual(item('one', 'new'));
  });

  it('each way to write arrives, the last write last', async () => {
    const set = { UpdateExpression: 'SET #state = :state', ExpressionAttributeNames: { '#state': 'state' } };
    const to = (state: string) => ({ ...set, ExpressionAttributeValues: { ':state': { S: state } } });
    for (let n = 0; n < 20; n += 1) {
      await client.send(new UpdateItemCommand({ TableName, Key: key('one'), ...to(`step ${n}`) }));
    }
    const puts = ['two', 'three'].map((id) => ({ PutRequest: { Item: item(id, 'batch') } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: puts } }));
    await expect.poll(() => inState('batch')).toEqual(['three', 'two']);
    await client.send(
      new TransactWriteItemsCommand({
        TransactItems: [
          { Put: { TableName, Item: item('four', 'together') } },
          { Update: { TableName, Key: key('two'), ...to('together') } },
          { Delete: { TableName, Key: key('three') } },
        ],
      }),
    );
    await expect.poll(() => inState('together')).toEqual(['four', 'two']);
    await expect.poll(() => inState('batch')).toEqual([]);
    await client.send(new DeleteItemCommand({ TableName, Key: key('four') }));
    await expect.poll(() => inState('together')).toEqual(['two']);
    expect([await inState('step 18'), await inState('step 19')]).toEqual([[], ['one']]);
  });

  it('an idle connection ends, which a client survives', async () => {
    const before = await inState('together');
    await sleep(1500);
    expect(await inState('together')).toEqual(before);
  });
});
