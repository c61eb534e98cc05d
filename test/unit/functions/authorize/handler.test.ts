import { DynamoDBClient, GetItemCommand } from '@aws-sdk/client-dynamodb';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { basicHeader } from '../../../../functions/core/basic-auth.ts';
import { hashToken } from '../../../../functions/core/secrets.ts';

const token = `dwt_${'a'.repeat(40)}`;
const event = {
  methodArn: 'arn:aws:execute-api:us-east-1:000000000000:api/prod/POST/1/deploy',
  resource: '/1/deploy',
  headers: { authorization: basicHeader(`kiwi:${token}`) },
  pathParameters: null,
  requestContext: { identity: { sourceIp: '192.0.2.1' } },
};
const kiwi = {
  record: { username: 'kiwi' },
  password: { salt: 'salt', hash: 'hash' },
  tokens: [{ name: 'hook', hash: hashToken(token), created_at: '2026-01-01T00:00:00.000Z' }],
};

const database = mockClient(DynamoDBClient);
afterAll(() => database.restore());
beforeEach(() => {
  vi.stubEnv('AWS_REGION', 'us-east-1');
  vi.stubEnv('CONNECTIONS_TABLE', 'connections');
  vi.stubEnv('LOG_TABLE', 'log');
});
afterEach(() => {
  database.reset();
  vi.unstubAllEnvs();
  vi.resetModules();
});

describe('the function authorize', () => {
  it('checks logins in the table of the log', async () => {
    const Key = { pk: { S: 'ACCOUNTS' }, sk: { S: 'U#kiwi' } };
    database
      .on(GetItemCommand, { TableName: 'log', Key, ConsistentRead: true })
      .resolves({ Item: { ...Key, doc: { S: JSON.stringify(kiwi) } } });
    const handler = (await import('../../../../functions/aws/endpoints.ts')).authorize();
    expect(await handler(event)).toMatchObject({ principalId: 'kiwi', context: { user: 'kiwi' } });
  });

  it('fails to start without LOG_TABLE, naming the variable', async () => {
    vi.stubEnv('LOG_TABLE', undefined);
    const { authorize } = await import('../../../../functions/aws/endpoints.ts');
    expect(authorize).toThrow('LOG_TABLE');
  });
});
