import { CfnCondition, Fn, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Parameters } from './parameters.ts';

/**
 * Returns the topic that alarms are published to. It has its own key: CloudWatch cannot publish to a topic that is
 * encrypted with the account's default key. Mail is sent when an address is configured.
 */
export function alarmTopic(scope: Construct, { alarmEmail }: Parameters): Topic {
  const key = new Key(scope, 'Key', { description: 'Encrypts alarms on their way', enableKeyRotation: true });
  const topic = new Topic(scope, 'Topic', { masterKey: key, enforceSSL: true });
  const alarms = {
    principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
    conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
  };
  key.addToResourcePolicy(
    new PolicyStatement({ ...alarms, actions: ['kms:Decrypt', 'kms:GenerateDataKey'], resources: ['*'] }),
  );
  topic.addToResourcePolicy(new PolicyStatement({ ...alarms, actions: ['sns:Publish'], resources: [topic.topicArn] }));
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
