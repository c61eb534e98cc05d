import { describe, expect, it } from 'vitest';
import { clientError } from '../../../../functions/api/answers.ts';
import { traceRecord } from '../../../../functions/core/entry/mask.ts';
import { DeployError, type ErrorCode } from '../../../../functions/core/errors.ts';
import { isObject } from '../../../../functions/core/json.ts';
import { runbook } from '../../../../lib/stack/alarms/runbook.ts';
import { functionFolders, serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const alarms = ofType('AWS::CloudWatch::Alarm').map(({ properties }) => properties);
const filters = ofType('AWS::Logs::MetricFilter').map(({ properties }) => properties);
const patterns = new Map(
  filters.map(({ MetricTransformations: [made], FilterPattern }) => [made.MetricName, FilterPattern]),
);
const [topic] = ofType('AWS::SNS::Topic');

const watched = alarms.flatMap((alarm) =>
  alarm.Metrics
    ? alarm.Metrics.flatMap(
        ({ MetricStat: stat }: { readonly MetricStat?: { readonly Metric: object } }) => stat?.Metric ?? [],
      )
    : [alarm],
);

/** What users do, on purpose or because their code or their host fails: the metric of AWS that it moves, and what is logged. */
const ACTS: [string, { readonly metric?: string; readonly error?: DeployError }][] = [
  ['waits for a deploy that fails, which is answered with 502', { metric: 'AWS/ApiGateway 5XXError' }],
  ['asks for what the platform cannot do, which is answered with 501', { metric: 'AWS/ApiGateway 5XXError' }],
  ['sends a wrong password', { metric: 'AWS/ApiGateway 4XXError' }],
  ['has visitors of a stopped application', { metric: 'AWS/Lambda Throttles of any' }],
  ['has an application that crashes', { metric: 'AWS/Lambda Errors of any' }],
  ['pairs with a host that is away', { error: failureOf('auth:repohost:get_user_failed') }],
  ['deploys from a host that is away', { error: failureOf('deploy:repohost:no_pkg_json') }],
  ['runs a command in an application that AWS refuses', { error: failureOf('request:failed') }],
];

function failureOf(code: ErrorCode): DeployError {
  return new DeployError(code, 'It did not answer.', { cause: new Error('ECONNREFUSED') });
}

function nameOf({ Namespace, MetricName, Dimensions }: (typeof watched)[number]): string {
  const isOfAll = Namespace === 'AWS/Lambda' && (Dimensions ?? []).length === 0;
  return `${Namespace} ${MetricName}${isOfAll ? ' of any' : ''}`;
}

/** What the function of a request logs of its error. */
function lineOf(error: Error): object {
  const lines: object[] = [];
  clientError(error, 'uuid', (event, fields) => void lines.push({ message: traceRecord(event, fields) }));
  return lines[0] ?? {};
}

/**
 * Whether a filter counts a line, with the signs that those of the stack have.
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
function isCounted(pattern: string, line: object): boolean {
  const any = pattern.replaceAll(/\$\.([\w.]+) (!?=) "([^"]*)"/g, (_, path: string, sign: string, wanted: string) => {
    const found = path.split('.').reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), line);
    const text = typeof found === 'string' ? found : '';
    const isSame = wanted.endsWith('*') ? text.startsWith(wanted.slice(0, -1)) : text === wanted;
    return String(sign === '=' ? isSame : found !== undefined && !isSame);
  });
  const ors = any.replace(/\(([^)]*)\)/, (_, inner: string) => String(inner.includes('true')));
  return ors.split('||').some((ands) => !ands.includes('false'));
}

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
    const ofAws = watched.filter(({ Namespace }) => String(Namespace).startsWith('AWS/'));
    expect(ofAws.length).toBeGreaterThan(5);
    for (const { MetricName, Dimensions } of ofAws) expect(Dimensions ?? [], MetricName).not.toEqual([]);
  });

  it.each(ACTS)('are not raised when a user %s', (_, { metric, error }) => {
    if (metric) expect(watched.map(nameOf)).not.toContain(metric);
    for (const [name, pattern] of patterns) {
      if (error) expect(isCounted(pattern, lineOf(error)), name).toBe(false);
    }
  });

  it.each([failureOf('deploy:db:failed_to_store_payload'), new TypeError('x is not a function')])(
    'are raised when requests fail because of the service: %s',
    (error) => {
      const counting = [...patterns].filter(([, pattern]) => isCounted(pattern, lineOf(error))).map(([name]) => name);
      expect(counting).toEqual(['RequestFailures']);
      expect(alarmsOf('request-failures')).toMatchObject([{ MetricName: 'RequestFailures', Threshold: 5 }]);
    },
  );

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
