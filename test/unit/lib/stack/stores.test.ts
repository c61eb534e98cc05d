import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { serviceTemplate } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();

describe('the table of the log', () => {
  const table = ofType('AWS::DynamoDB::GlobalTable').find(({ id }) => id.startsWith('StoresLog'));

  it('is billed per request and has the keys pk and sk', () => {
    expect(table?.properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
  });

  it('has a time to live, point-in-time recovery and deletion protection', () => {
    expect(table?.properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires', Enabled: true });
    expect(table?.properties.Replicas).toEqual([
      expect.objectContaining({
        DeletionProtectionEnabled: true,
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      }),
    ]);
    template.hasResource('AWS::DynamoDB::GlobalTable', { DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  it('streams the new images of its items', () => {
    expect(table?.properties.StreamSpecification).toEqual({ StreamViewType: 'NEW_IMAGE' });
  });

  it('has an index for an application’s pages and a sparse one for due entries', () => {
    expect(table?.properties.GlobalSecondaryIndexes).toEqual([
      expect.objectContaining({
        IndexName: 'byApp',
        KeySchema: [
          { AttributeName: 'app_pk', KeyType: 'HASH' },
          { AttributeName: 'app_sk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      }),
      expect.objectContaining({
        IndexName: 'byDue',
        KeySchema: [
          { AttributeName: 'due_pk', KeyType: 'HASH' },
          { AttributeName: 'due_at', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      }),
    ]);
    expect(table?.properties.AttributeDefinitions).toContainEqual({ AttributeName: 'due_at', AttributeType: 'N' });
  });
});

it('The table of payloads has a time to live and no stream', () => {
  const table = ofType('AWS::DynamoDB::GlobalTable').find(({ id }) => id.startsWith('StoresPayloads'));
  expect(table?.properties.TimeToLiveSpecification).toEqual({ AttributeName: 'expires', Enabled: true });
  expect(table?.properties.StreamSpecification).toBeUndefined();
});

describe('the bucket of tarballs', () => {
  it('deletes tarballs after two days and unfinished uploads after one', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: [{ Status: 'Enabled', ExpirationInDays: 2, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }],
      },
    });
  });
});

it.each(['lib/stack/removal.md', '.ci/empty-sandbox'])('What stays when the stack is deleted is in %s', (file) => {
  const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
  const resources: Readonly<Record<string, { readonly Type: string; readonly DeletionPolicy?: string }>> =
    template.toJSON().Resources;
  const kept = Object.values(resources).filter(({ DeletionPolicy = 'Delete' }) => DeletionPolicy !== 'Delete');
  expect(kept.length).toBeGreaterThan(4);
  expect(kept.filter(({ Type }) => !text.includes(Type))).toEqual([]);
});
