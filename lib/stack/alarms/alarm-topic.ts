import { CfnCondition, Fn, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Parameters } from '../parameters.ts';

/**
 * Returns the topic that alarms are published to; mail is sent when an address is configured. It is encrypted with the
 * key of the stack: CloudWatch cannot publish with the account's default key, and another key would be a third of the
 * cost of an idle service.
 */
export function alarmTopic(scope: Construct, { alarmEmail }: Parameters, key: Key): Topic {
  const topic = new Topic(scope, 'Topic', { masterKey: key, enforceSSL: true });
  const principals = [new ServicePrincipal('cloudwatch.amazonaws.com')];
  const fromHere = { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } };
  key.addToResourcePolicy(
    new PolicyStatement({
      principals,
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      // Alarms cannot decrypt what the functions seal, whose context has a purpose.
      conditions: { ...fromHere, Null: { 'kms:EncryptionContext:purpose': 'true' } },
    }),
  );
  topic.addToResourcePolicy(
    new PolicyStatement({ principals, conditions: fromHere, actions: ['sns:Publish'], resources: [topic.topicArn] }),
  );
  mailTo(topic, alarmEmail.valueAsString);
  return topic;
}

function mailTo(topic: Topic, address: string): void {
  const given = new CfnCondition(topic, 'AddressGiven', {
    expression: Fn.conditionNot(Fn.conditionEquals(address, '')),
  });
  const mail = new CfnSubscription(topic, 'Mail', { topicArn: topic.topicArn, protocol: 'email', endpoint: address });
  mail.cfnOptions.condition = given;
}
