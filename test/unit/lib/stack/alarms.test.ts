import { describe, expect, it } from 'vitest';
import { runbook } from '../../../../lib/stack/alarms/runbook.ts';
import { functionFolders, serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const alarms = ofType('AWS::CloudWatch::Alarm').map(({ properties }) => properties);
const filters = ofType('AWS::Logs::MetricFilter').map(({ properties }) => properties);
const patterns = new Map(
  filters.map(({ MetricTransformations: [made], FilterPattern }) => [made.MetricName, FilterPattern]),
);
const [topic] = ofType('AWS::SNS::Topic');

function alarmsOf(entry: (typeof runbook)[number]) {
  return alarms.filter((alarm) => alarm.AlarmDescription.endsWith(` Runbook: lib/stack/alarms/README.md#${entry}`));
}

describe('the alarms', () => {
  it('each name a section of the runbook, and each section has an alarm', () => {
    expect(runbook.flatMap(alarmsOf)).toHaveLength(alarms.length);
    for (const entry of runbook) expect(alarmsOf(entry), entry).not.toEqual([]);
  });

  it('each describe what they mean and what to do first', () => {
    for (const { AlarmDescription: text } of alarms) {
      const [meaning, ...steps] = text.replace(/ Runbook: \S+$/, '').split(/(?<=\.) (?=[A-Z])/);
      expect(meaning, text).toMatch(/^[A-Z].{20,}\.$/);
      expect(steps.join(' '), text).toMatch(/^[A-Z].{4,}\.$/);
    }
  });

  it('each notify the topic when they are raised and when they end', () => {
    for (const alarm of alarms) {
      expect(alarm.AlarmActions.map(target)).toEqual([topic?.id]);
      expect(alarm.OKActions.map(target)).toEqual([topic?.id]);
    }
  });

  it('are raised at the first message in any dead-letter queue', () => {
    const dead = alarmsOf('dead-letters');
    const watched = dead.map((alarm) => target(alarm.Dimensions[0].Value));
    const deadLetters = ofType('AWS::SQS::Queue').flatMap(({ properties }) =>
      properties.RedrivePolicy ? [target(properties.RedrivePolicy.deadLetterTargetArn)] : [],
    );
    expect(watched.sort()).toEqual([...new Set(deadLetters)].sort());
    for (const alarm of dead) {
      expect(alarm).toMatchObject({ Threshold: 0, ComparisonOperator: 'GreaterThanThreshold', EvaluationPeriods: 1 });
    }
  });

  it('are raised when a run of each minute logs that a deploy is late, or an application’s log is not written', () => {
    expect(alarmsOf('findings')).toEqual([
      expect.objectContaining({ MetricName: 'Findings', Threshold: 0, EvaluationPeriods: 1 }),
    ]);
    expect(patterns.get('Findings')).toBe(
      '{ $.message.event = "deploy late" || $.message.event = "commit status late" || $.message.event = "application with a note" }',
    );
  });

  it('count the failures of every function in its log, as one metric', () => {
    const groups = ofType('AWS::Lambda::Function').map(({ properties }) => target(properties.LoggingConfig.LogGroup));
    expect(groups).toHaveLength(functionFolders.length);
    for (const { LogGroupName } of filters) expect(groups).toContain(target(LogGroupName));
    expect(new Set(groups).size).toBe(1);
    const [alarm] = alarmsOf('function-errors');
    expect(alarm).toMatchObject({ Threshold: 0, Statistic: 'Sum' });
    expect(filters.map(({ MetricTransformations: made }) => made)).toContainEqual([
      { MetricNamespace: alarm?.Namespace, MetricName: alarm?.MetricName, MetricValue: '1' },
    ]);
    expect(patterns.get(alarm?.MetricName)).toBe('{ $.type = "platform.report" && $.record.status != "success" }');
  });

  it('are raised when the login may not run, by one metric', () => {
    const [alarm, ...others] = alarmsOf('function-throttles');
    expect([alarm, others]).toMatchObject([{ Namespace: 'AWS/Lambda', MetricName: 'Throttles', Threshold: 0 }, []]);
    const [{ Value: of }] = alarm?.Dimensions ?? [{}];
    const login = ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === 'authorize');
    expect(target(of)).toBe(login?.id);
  });

  it('watch what is of the service, and never what all functions of the account do, applications too', () => {
    const metrics = alarms.flatMap((alarm) =>
      alarm.Metrics
        ? alarm.Metrics.flatMap(
            ({ MetricStat: stat }: { readonly MetricStat?: { readonly Metric: object } }) => stat?.Metric ?? [],
          )
        : [alarm],
    );
    const ofAws = metrics.filter(({ Namespace }) => String(Namespace).startsWith('AWS/'));
    expect(ofAws.length).toBeGreaterThan(5);
    for (const { MetricName, Dimensions } of ofAws) expect(Dimensions ?? [], MetricName).not.toEqual([]);
  });

  it('are raised when the sweep does not run', () => {
    expect(alarmsOf('sweep-stopped')).toEqual([
      expect.objectContaining({ TreatMissingData: 'breaching', ComparisonOperator: 'LessThanThreshold', Threshold: 1 }),
    ]);
  });

  it('are not raised by missing data', () => {
    const others = alarms.filter((alarm) => !alarmsOf('sweep-stopped').includes(alarm));
    for (const alarm of others) expect(alarm.TreatMissingData).toBe('notBreaching');
  });
});

describe('the alarms of change notifications', () => {
  it('are raised when signals are a minute late or have failed for good', () => {
    expect(alarmsOf('signals-late')).toEqual([
      expect.objectContaining({ MetricName: 'IteratorAge', Threshold: 60_000 }),
    ]);
    expect(alarmsOf('signals-lost')).toEqual([expect.objectContaining({ Threshold: 0 })]);
  });

  it('are raised at 80 percent of the configured maximum of streams', () => {
    const [alarm] = alarmsOf('stream-concurrency');
    expect(alarm?.Threshold).toBe(80);
    expect(JSON.stringify(alarm?.Metrics)).toContain('ChangesConcurrency');
    template.hasResource('AWS::CloudWatch::Alarm', {
      Properties: { AlarmDescription: alarm?.AlarmDescription },
      Condition: Object.keys(template.findConditions('*')).find((id) => id.includes('ConcurrencyGiven')),
    });
  });
});

describe('the topic of alarms', () => {
  const fromAlarms = { Principal: { Service: 'cloudwatch.amazonaws.com' }, Effect: 'Allow' };
  const fromHere = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } };

  it('is encrypted with a key that this account’s alarms may use, and refuses plain HTTP', () => {
    const key = ofType('AWS::KMS::Key').find(({ id }) => id === target(topic?.properties.KmsMasterKeyId));
    expect(key?.properties.KeyPolicy.Statement).toContainEqual(
      expect.objectContaining({ ...fromAlarms, Action: ['kms:Decrypt', 'kms:GenerateDataKey'] }),
    );
    const [policy] = ofType('AWS::SNS::TopicPolicy');
    expect(policy?.properties.PolicyDocument.Statement).toEqual([
      expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
      expect.objectContaining({ ...fromAlarms, Condition: fromHere, Action: 'sns:Publish' }),
    ]);
  });

  it('has a key with which alarms cannot open what the functions seal', () => {
    const [key] = ofType('AWS::KMS::Key');
    const allowed = key?.properties.KeyPolicy.Statement.filter(
      ({ Principal: { Service } }: { Principal: { Service?: string } }) => Service !== undefined,
    );
    expect(allowed).toEqual([
      expect.objectContaining({
        ...fromAlarms,
        Condition: { ...fromHere, Null: { 'kms:EncryptionContext:purpose': 'true' } },
      }),
    ]);
  });

  it('is an output, for those who subscribe something else than an address', () => {
    expect(target(template.findOutputs('AlarmTopic').AlarmTopic?.Value)).toBe(topic?.id);
  });

  it('mails the operator when an address is configured', () => {
    template.hasResource('AWS::SNS::Subscription', {
      Properties: { Protocol: 'email', Endpoint: { Ref: 'AlarmEmail' } },
      Condition: Object.keys(template.findConditions('*')).find((id) => id.includes('AddressGiven')),
    });
  });
});
