import { describe, expect, it } from 'vitest';
import { serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const conditions = template.toJSON().Conditions;

describe('what an operator may add', () => {
  it('is not there by default', () => {
    expect(template.findParameters('Firewall').Firewall).toMatchObject({ Default: 'off' });
    expect(template.findParameters('*').MonthlyBudgetDollars).toMatchObject({ Default: 0, MinValue: 0 });
  });

  it('a firewall blocks an address that sends more requests than that, in front of the REST API', () => {
    const [acl] = Object.entries(template.findResources('AWS::WAFv2::WebACL'));
    const [association] = Object.values(template.findResources('AWS::WAFv2::WebACLAssociation'));
    expect(acl?.[1].Properties).toMatchObject({
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: [
        {
          Action: { Block: {} },
          Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: { Ref: 'FirewallRequests' } } },
        },
      ],
    });
    expect(association?.Properties.WebACLArn).toEqual({ 'Fn::GetAtt': [acl?.[0], 'Arn'] });
    expect(JSON.stringify(association?.Properties.ResourceArn)).toContain('/restapis/');
    for (const part of [acl?.[1], association]) {
      expect(conditions[part?.Condition]).toEqual({ 'Fn::Equals': [{ Ref: 'Firewall' }, 'on'] });
    }
  });

  it('a budget mails before and after it is exceeded, when there is an address', () => {
    const [budget] = Object.values(template.findResources('AWS::Budgets::Budget'));
    expect(budget?.Properties.Budget).toMatchObject({
      BudgetType: 'COST',
      TimeUnit: 'MONTHLY',
      BudgetLimit: { Amount: { Ref: 'MonthlyBudgetDollars' }, Unit: 'USD' },
    });
    const mails = budget?.Properties.NotificationsWithSubscribers;
    expect(
      mails.map((one: { Notification: { NotificationType: string } }) => one.Notification.NotificationType),
    ).toEqual(['FORECASTED', 'ACTUAL']);
    expect(mails[0].Subscribers).toEqual([{ SubscriptionType: 'EMAIL', Address: { Ref: 'AlarmEmail' } }]);
    expect(conditions[budget?.Condition]).toEqual({
      'Fn::And': [
        { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'MonthlyBudgetDollars' }, '0'] }] },
        { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AlarmEmail' }, ''] }] },
      ],
    });
  });
});

describe('what is stored', () => {
  it('is encrypted, and no bucket can be public', () => {
    for (const { properties } of ofType('AWS::S3::Bucket')) {
      expect(properties.BucketEncryption).toBeDefined();
      expect(Object.values(properties.PublicAccessBlockConfiguration)).toEqual([true, true, true, true]);
    }
    for (const { properties } of ofType('AWS::SQS::Queue')) {
      expect(properties.SqsManagedSseEnabled ?? properties.KmsMasterKeyId).toBeTruthy();
    }
    for (const { properties } of ofType('AWS::SNS::Topic')) expect(properties.KmsMasterKeyId).toBeDefined();
    for (const { properties } of ofType('AWS::KMS::Key')) expect(properties.EnableKeyRotation).toBe(true);
  });

  it('is reached with TLS only', () => {
    for (const [type, policyType, named] of [
      ['AWS::S3::Bucket', 'AWS::S3::BucketPolicy', 'Bucket'],
      ['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy', 'Queues'],
      ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'Topics'],
    ] as const) {
      const refusing = ofType(policyType).filter(({ properties }) =>
        properties.PolicyDocument.Statement.some(
          (one: { Effect: string; Condition?: unknown }) =>
            one.Effect === 'Deny' &&
            JSON.stringify(one.Condition) === JSON.stringify({ Bool: { 'aws:SecureTransport': 'false' } }),
        ),
      );
      const closed = refusing.flatMap(({ properties }) => [properties[named]].flat().map(target));
      expect(closed.sort(), type).toEqual(
        ofType(type)
          .map(({ id }) => id)
          .sort(),
      );
    }
  });

  it('stays when the stack is deleted, where it cannot be made again', () => {
    const kept = ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::KMS::Key'].flatMap((type) =>
      Object.entries(template.findResources(type)).flatMap(([id, one]) =>
        ['Retain', 'RetainExceptOnCreate'].includes(one.DeletionPolicy) ? [id] : [],
      ),
    );
    expect(kept.map((id) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(
      expect.arrayContaining(['StoresLog', 'StoresTarballs', 'StoresTokenKey']),
    );
  });

  it('in logs is kept for a limited time', () => {
    for (const { properties } of ofType('AWS::Logs::LogGroup'))
      expect(properties.RetentionInDays).toBeLessThanOrEqual(90);
  });
});
