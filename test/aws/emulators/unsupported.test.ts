import { describe, expect, it } from 'vitest';
import { warnOfUnsupported } from '../../aws-local/resources/unsupported.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

const QUEUE = 'arn:aws:sqs:us-east-1:000000000000:q';
const FUNCTION = 'arn:aws:lambda:us-east-1:000000000000:function:f';

function warningsFor(type: string, properties: Record<string, unknown> = {}): string[] {
  const warnings: string[] = [];
  warnOfUnsupported(templateOf({ Thing: [type, properties] }), (sentence) => warnings.push(sentence));
  return warnings;
}

describe('Warnings of resources that aws-local does not run', () => {
  it.each([
    ['AWS::StepFunctions::StateMachine', {}, 'aws-local does not know the type'],
    ['Custom::S3BucketNotifications', {}, 'aws-local does not know the type'],
    ['AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' }, 'its protocol is HTTP; only WEBSOCKET is supported'],
    ['AWS::Events::Rule', { EventPattern: { source: ['app'] } }, 'only CodeBuild sends events here'],
    ['AWS::Events::Rule', { ScheduleExpression: 'rate(1 day)', Targets: [{ Arn: QUEUE }] }, 'only targets that are'],
    ['AWS::Lambda::EventSourceMapping', { EventSourceArn: 'arn:aws:kinesis:us-east-1:0:stream/s' }, 'only queues and'],
    ['AWS::S3::Bucket', { NotificationConfiguration: {} }, 'its notifications are not sent'],
    ['AWS::SNS::Subscription', { Protocol: 'lambda' }, 'topics deliver nothing'],
  ])('%s with %j is warned of by its logical id: %s', (type, properties, reason) => {
    expect(warningsFor(type, properties)).toEqual([
      expect.stringContaining(`Thing (${type}) does not run here: ${reason}`),
    ]);
  });

  it.each([
    ['AWS::DynamoDB::GlobalTable', {}],
    ['AWS::ApiGatewayV2::Api', { ProtocolType: 'WEBSOCKET' }],
    ['AWS::CodeBuild::Project', {}],
    ['AWS::Events::Rule', { ScheduleExpression: 'rate(1 day)', Targets: [{ Arn: FUNCTION }] }],
    ['AWS::Events::Rule', { EventPattern: { source: ['aws.codebuild'] }, Targets: [{ Arn: FUNCTION }] }],
    ['AWS::Lambda::EventSourceMapping', { EventSourceArn: QUEUE }],
    ['AWS::S3::Bucket', {}],
    ['AWS::SNS::Subscription', { Protocol: 'email' }],
    ['AWS::IAM::Role', {}],
    ['AWS::CloudWatch::Alarm', {}],
    ['AWS::Lambda::Permission', {}],
  ])('%s with %j needs no warning', (type, properties) => {
    expect(warningsFor(type, properties)).toEqual([]);
  });
});
