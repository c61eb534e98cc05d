import { describe, expect, it } from 'vitest';
import { warnOfUnsupported } from '../../aws-local/resources/unsupported.ts';
import { templateOf } from '../../support/aws-local/template-fixture.ts';

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
    ['AWS::S3::Bucket', { NotificationConfiguration: {} }, 'its notifications are not sent'],
    ['AWS::SNS::Subscription', { Protocol: 'lambda' }, 'topics deliver nothing'],
  ])('%s with %j is warned of by its logical id: %s', (type, properties, reason) => {
    expect(warningsFor(type, properties)).toEqual([
      expect.stringContaining(`Thing (${type}) does not run here: ${reason}`),
    ]);
  });
});
