import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { S3Client } from '@aws-sdk/client-s3';
import { describe, expect, it } from 'vitest';
import { openBuilder } from '../../../aws-local/codebuild/builder.ts';
import { codeBuildService } from '../../../aws-local/codebuild/codebuild-service.ts';
import { kmsService } from '../../../aws-local/emulators/kms.ts';
import { secretsService } from '../../../aws-local/emulators/secrets.ts';
import { openLambda } from '../../../aws-local/lambda/lambda-service.ts';
import { openLogStore } from '../../../aws-local/logs/log-store.ts';
import { logsService } from '../../../aws-local/logs/logs-service.ts';
import { openSubscriptions } from '../../../aws-local/logs/subscriptions.ts';
import { callsOf } from '../../../aws-local/permissions/calls/by-call.ts';
import { dynamodbCalls } from '../../../aws-local/permissions/calls/dynamodb.ts';
import { s3Calls, sqsCalls } from '../../../aws-local/permissions/calls/sqs-s3.ts';
import type { Call } from '../../../aws-local/permissions/guard.ts';
import { accountConcurrency } from '../../../aws-local/strict/concurrency.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';
import { withGenerated } from '../../../support/documents/markdown.ts';
import { newFolder } from '../../../support/new-folder.ts';

const words = (calls: readonly Call[] | undefined) =>
  calls?.map(({ action, resource }) => `${action} ${resource.replace(/^arn:aws:\w+(?:-\w+)?:[^:]*:[^:]*:/, '')}`);

describe('The permissions that a request needs', () => {
  it.each([
    ['Query', { TableName: 'T', IndexName: 'byApp' }, ['dynamodb:Query table/T/index/byApp']],
    [
      'BatchGetItem',
      { RequestItems: { T: {}, U: {} } },
      ['dynamodb:BatchGetItem table/T', 'dynamodb:BatchGetItem table/U'],
    ],
    [
      'TransactWriteItems',
      { TransactItems: ['Put', 'Update', 'Delete', 'ConditionCheck'].map((kind) => ({ [kind]: { TableName: kind } })) },
      [
        'dynamodb:PutItem table/Put',
        'dynamodb:UpdateItem table/Update',
        'dynamodb:DeleteItem table/Delete',
        'dynamodb:ConditionCheckItem table/ConditionCheck',
      ],
    ],
    ['TransactWriteItems', { TransactItems: [{ Other: { TableName: 'T' } }] }, undefined],
    ['Scan', { TableName: 'T' }, undefined],
  ])('DynamoDB %s %j: %j', (operation, input, expected) => {
    expect(words(dynamodbCalls(`DynamoDB_20120810.${operation}`, input))).toEqual(expected);
  });

  it('SQS', () => {
    const input = { QueueUrl: 'http://127.0.0.1:1/0/jobs.fifo' };
    expect(words(sqsCalls('SendMessage', input))).toEqual(['sqs:SendMessage jobs.fifo']);
    expect(sqsCalls('PurgeQueue', input)).toBeUndefined();
  });

  it.each([
    ['GET', '/b/a%20b/%C3%BC?x-id=GetObject&X-Amz-Signature=s', {}, ['s3:GetObject b/a b/ü']],
    ['PUT', '/b/k?partNumber=1&uploadId=u', {}, ['s3:PutObject b/k']],
    ['DELETE', '/b/k?uploadId=u', {}, ['s3:AbortMultipartUpload b/k']],
    ['PUT', '/b/k', { 'x-amz-copy-source': '/c/a%20b?versionId=1' }, undefined],
    ['PUT', '/b/k', { 'x-amz-tagging': 't=1' }, undefined],
    ['GET', '/b?list-type=2', {}, undefined],
    ['GET', '/b/k?acl', {}, undefined],
    ['PUT', '/b/k?uploadId=u&tagging', {}, undefined],
  ])('S3 %s %s %j: %j', (method, url, headers, expected) => {
    expect(words(s3Calls({ method, url, headers }))).toEqual(expected);
  });

  it.each([
    ['Lambda', 'Invoke', { FunctionName: 'f', Qualifier: '2' }, ['lambda:InvokeFunction function:f:2']],
    [
      'Lambda',
      'CreateFunction',
      {
        FunctionName: 'f',
        Role: 'arn:aws:iam::0:role/app',
        Code: { S3Bucket: 'b', S3Key: 'k' },
        Layers: ['arn:aws:lambda:r:1:layer:l:1'],
        Tags: {},
      },
      [
        'lambda:CreateFunction function:f',
        'lambda:TagResource function:f',
        'iam:PassRole role/app',
        's3:GetObject b/k',
        'lambda:GetLayerVersion layer:l:1',
      ],
    ],
    [
      'CodeBuild',
      'BatchGetBuilds',
      { ids: ['p:1', 'q:2'] },
      ['project/p', 'project/q'].map((one) => `codebuild:BatchGetBuilds ${one}`),
    ],
    [
      'CloudWatch Logs',
      'PutLogEvents',
      { logGroupName: 'g', logStreamName: 's' },
      ['logs:PutLogEvents log-group:g:log-stream:s'],
    ],
    ['Lambda', 'toString', {}, undefined],
  ])('%s %s %j: %j', (service, operation, input, expected) => {
    expect(words(callsOf(service, operation, input))).toEqual(expected);
  });

  it('a role can only be given away to Lambda', () => {
    const calls = callsOf('Lambda', 'CreateFunction', { FunctionName: 'f', Role: 'r' });
    expect(calls).toContainEqual({
      action: 'iam:PassRole',
      resource: 'r',
      context: { 'iam:PassedToService': 'lambda.amazonaws.com' },
    });
  });

  it('those of each operation that is emulated are known, and the README names them (vitest -u writes them)', async () => {
    const folder = newFolder('calls');
    const logs = openLogStore();
    const subscriptions = openSubscriptions(() => undefined);
    const builder = openBuilder({ folder, logs, denialOf: () => undefined, changed: () => {} });
    const s3 = new S3Client({ region: 'us-east-1' });
    const lambda = openLambda({
      folder,
      s3,
      logs,
      roles: new Set<string>(),
      denialOf: () => undefined,
      concurrency: accountConcurrency(templateOf({})),
    });
    try {
      const services = [
        lambda.service,
        codeBuildService(new Map(), builder, new Set()),
        logsService(logs, subscriptions),
        ...[kmsService(), secretsService(new Map())],
      ].map(({ name, operations }) => ({ name, operations: Object.keys(operations) }));
      const unknown = services.flatMap(({ name, operations }) =>
        operations.filter((operation) => callsOf(name, operation, {}) === undefined),
      );
      expect(unknown).toEqual([]);
      const calls = services.map(({ name, operations }) => `- ${name}: ${operations.sort().join(', ')}`).join('\n');
      const readme = fileURLToPath(new URL('../../../aws-local/README.md', import.meta.url));
      await expect(withGenerated(readFileSync(readme, 'utf8'), { calls })).toMatchFileSnapshot(readme);
    } finally {
      await Promise.all([lambda.close(), builder.close()]);
    }
  });
});
