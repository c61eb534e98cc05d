import { describe, expect, it } from 'vitest';
import { runbook } from '../../../../lib/stack/runbook.ts';
import { functionFolders, serviceTemplate, target } from '../../../support/service-template.ts';

const { template, ofType } = serviceTemplate();
const alarms = ofType('AWS::CloudWatch::Alarm').map(({ properties }) => properties);
const [topic] = ofType('AWS::SNS::Topic');

function alarmsOf(entry: (typeof runbook)[number]) {
  return alarms.filter((alarm) => alarm.AlarmDescription.endsWith(` Runbook: lib/stack/README.md#${entry}`));
}

describe('the alarms', () => {
  it('each name a section of the runbook, and each section has an alarm', () => {
    expect(runbook.flatMap(alarmsOf)).toHaveLength(alarms.length);
    for (const entry of runbook) expect(alarmsOf(entry), entry).not.toEqual([]);
  });

  it('each say in at most two sentences before that what it means and what to do first', () => {
    for (const { AlarmDescription: text } of alarms) {
      const [meaning, ...steps] = text.replace(/ Runbook: \S+$/, '').split(/(?<=\.) (?=[A-Z])/);
      expect(meaning, text).toMatch(/^[A-Z].{20,}\.$/);
      expect(steps.join(' '), text).toMatch(/^[A-Z].{4,}\.$/);
    }
  });

  it('each ring, and say when it is over', () => {
    for (const alarm of alarms) {
      expect(alarm.AlarmActions.map(target)).toEqual([topic?.id]);
      expect(alarm.OKActions.map(target)).toEqual([topic?.id]);
    }
  });

  it('ring at the first message that could not be worked off, of any queue', () => {
    const dead = alarmsOf('dead-letters');
    const watched = dead.map((alarm) => target(alarm.Dimensions[0].Value));
    const deadLetters = ofType('AWS::SQS::Queue').flatMap(({ properties }) =>
      properties.RedrivePolicy ? [target(properties.RedrivePolicy.deadLetterTargetArn)] : [],
    );
    expect(watched.sort()).toEqual(deadLetters.sort());
    for (const alarm of dead) {
      expect(alarm).toMatchObject({ Threshold: 0, ComparisonOperator: 'GreaterThanThreshold', EvaluationPeriods: 1 });
    }
  });

  it('ring for a message older than ten minutes, or than the half hour that an installation may rightly take', () => {
    const thresholds = alarmsOf('oldest-message').map((alarm) => alarm.Threshold);
    expect(thresholds.sort()).toEqual([1800, 600, 600, 600, 600, 600]);
  });

  it('watch every function for failures and throttles', () => {
    expect(alarmsOf('function-errors')).toHaveLength(functionFolders.length);
    for (const alarm of alarmsOf('function-errors')) {
      expect(alarm.Threshold).toBe(1);
      expect(alarm.Metrics[0].Expression).toBe('100 * errors / invocations');
    }
    expect(alarmsOf('function-throttles')).toHaveLength(functionFolders.length);
  });

  it('miss the sweep when nothing is heard of it', () => {
    expect(alarmsOf('sweep-stopped')).toEqual([
      expect.objectContaining({ TreatMissingData: 'breaching', ComparisonOperator: 'LessThanThreshold', Threshold: 1 }),
    ]);
  });

  it('stay silent when nothing happens', () => {
    const others = alarms.filter((alarm) => !alarmsOf('sweep-stopped').includes(alarm));
    for (const alarm of others) expect(alarm.TreatMissingData).toBe('notBreaching');
  });
});

describe('the alarms of the changes', () => {
  it('ring when signals are a minute late or are given up', () => {
    expect(alarmsOf('signals-late')).toEqual([
      expect.objectContaining({ MetricName: 'IteratorAge', Threshold: 60_000 }),
    ]);
    expect(alarmsOf('signals-lost')).toEqual([expect.objectContaining({ Threshold: 0 })]);
  });

  it('ring at four fifths of the streams that have room, when the operator has set how many have', () => {
    const [alarm] = alarmsOf('stream-concurrency');
    expect(alarm?.Threshold).toBe(80);
    expect(JSON.stringify(alarm?.Metrics)).toContain('ChangesConcurrency');
    template.hasResource('AWS::CloudWatch::Alarm', {
      Properties: { AlarmDescription: alarm?.AlarmDescription },
      Condition: Object.keys(template.findConditions('*')).find((id) => id.includes('ConcurrencyGiven')),
    });
  });
});

describe('the topic', () => {
  it('is encrypted with a key that alarms of this account may use, and refuses plain HTTP', () => {
    const fromAlarms = {
      Principal: { Service: 'cloudwatch.amazonaws.com' },
      Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
    };
    const key = ofType('AWS::KMS::Key').find(({ id }) => id === target(topic?.properties.KmsMasterKeyId));
    expect(key?.properties.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({ ...fromAlarms, Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
    );
    const [policy] = ofType('AWS::SNS::TopicPolicy');
    expect(policy?.properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({ ...fromAlarms, Effect: 'Allow', Action: 'sns:Publish' }),
    ]);
  });

  it('mails the operator when an address was given', () => {
    template.hasResource('AWS::SNS::Subscription', {
      Properties: { Protocol: 'email', Endpoint: { Ref: 'AlarmEmail' } },
      Condition: Object.keys(template.findConditions('*')).find((id) => id.includes('AddressGiven')),
    });
  });
});
