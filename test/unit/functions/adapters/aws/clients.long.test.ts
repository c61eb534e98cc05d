import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { dynamoDb } from '../../../../../functions/adapters/aws/dynamodb.ts';
import { functionEnvironment } from '../../../../support/template/function-environment.ts';
import { madeFunctions } from '../../../../support/template/made-functions.ts';
import { functionFolders } from '../../../../support/template/service-template.ts';

/** Names of the clients that were constructed, once for each time. */
const constructed = vi.hoisted(() => [] as string[]);

const counting = vi.hoisted(() => <T extends Record<string, unknown>>(sdk: T, name: keyof T & string): T => {
  const Client = sdk[name] as new (config: { endpoint?: string }) => object;
  class Counted extends Client {
    constructor(config: { endpoint?: string }) {
      super(config);
      constructed.push(config.endpoint ? `${name} of ${config.endpoint}` : name);
    }
  }
  return { ...sdk, [name]: Counted };
});

vi.mock('@aws-sdk/client-dynamodb', async (original) =>
  counting(await original<Record<string, unknown>>(), 'DynamoDBClient'),
);
vi.mock('@aws-sdk/client-sqs', async (original) => counting(await original<Record<string, unknown>>(), 'SQSClient'));
vi.mock('@aws-sdk/client-s3', async (original) => counting(await original<Record<string, unknown>>(), 'S3Client'));
vi.mock('@aws-sdk/client-kms', async (original) => counting(await original<Record<string, unknown>>(), 'KMSClient'));
vi.mock('@aws-sdk/client-apigatewaymanagementapi', async (original) =>
  counting(await original<Record<string, unknown>>(), 'ApiGatewayManagementApiClient'),
);
vi.mock('@aws-sdk/client-secrets-manager', async (original) =>
  counting(await original<Record<string, unknown>>(), 'SecretsManagerClient'),
);

const expected: Readonly<Record<string, readonly string[]>> = {
  'stage-check': ['DynamoDBClient', 'KMSClient', 'SQSClient'],
  'report-status': ['DynamoDBClient', 'KMSClient', 'S3Client'],
  'stage-fetch': ['DynamoDBClient', 'KMSClient', 'S3Client', 'SQSClient'],
  'stage-upload': ['DynamoDBClient', 'KMSClient', 'S3Client', 'SQSClient'],
};

beforeEach(() => {
  for (const [name, value] of Object.entries(functionEnvironment)) vi.stubEnv(name, value);
  // Lambda defines it where middy expects it.
  vi.stubGlobal('awslambda', { streamifyResponse: (handler: unknown) => handler });
  vi.resetModules();
  constructed.length = 0;
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});

describe('the AWS clients of a function', () => {
  it.each(functionFolders)('%s constructs at most one client per service and endpoint', async (folder) => {
    await (await madeFunctions()).get(folder)?.();
    expect([...new Set(constructed)]).toEqual(constructed);
    if (expected[folder]) expect([...constructed].sort()).toEqual(expected[folder]);
  });
});

describe('a client without logging', () => {
  it('has no logger middleware, which the SDK adds under that name', () => {
    const names = (client: DynamoDBClient) => client.middlewareStack.identify().join('\n');
    expect(names(new DynamoDBClient({}))).toContain('loggerMiddleware');
    expect(names(dynamoDb())).not.toContain('loggerMiddleware');
  });
});
