import { CfnCondition, Duration, Fn, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  CfnAlarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { Operation, type TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { CfnSubscription, Topic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import type { Api } from './api.ts';
import type { Changes } from './changes.ts';
import type { ServiceFunction } from './function.ts';
import type { Parameters } from './parameters.ts';
import type { Pipeline } from './pipeline.ts';
import type { Queues, WorkQueue } from './queues.ts';
import { type RunbookEntry, runbookAddress } from './runbook.ts';
import type { Stores } from './stores.ts';

/** What is watched. */
export interface AlarmsProps {
  readonly parameters: Parameters;
  readonly stores: Stores;
  readonly queues: Queues;
  readonly pipeline: Pipeline;
  readonly api: Api;
  readonly changes: Changes;
}

/** When to ring, and what for. */
interface Watch {
  readonly metric: IMetric;
  /** Rings when the metric is above it. */
  readonly above: number;
  readonly entry: RunbookEntry;
  readonly says: string;
  /** Periods in a row that must be above; default 1. */
  readonly periods?: number;
}

const fiveMinutes = Duration.minutes(5);

/** A topic, mailed when an address was given, and the alarms that publish to it; each names its runbook entry. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = alarmTopic(this, props.parameters);
    for (const queue of props.queues.all) this.#watchQueue(queue);
    this.#watchSweep(props.pipeline.sweep);
    const functions = [...props.api.functions, ...props.pipeline.functions, ...props.changes.functions];
    for (const one of functions) this.#watchFunction(one);
    this.#watchApi(props.api);
    this.#watchTable(props.stores.log);
    this.#watchSignals(props.changes);
    this.#watchStreams(props);
  }

  #watchQueue({ name, queue, deadLetters, overdueSeconds }: WorkQueue): void {
    this.#watch(`${name}-dead-letters`, {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes, statistic: 'Maximum' }),
      above: 0,
      entry: 'dead-letters',
      says: `Messages of the queue ${name} could not be worked off.`,
    });
    this.#watch(`${name}-oldest-message`, {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: fiveMinutes, statistic: 'Maximum' }),
      above: overdueSeconds,
      entry: 'oldest-message',
      says: `A message of the queue ${name} is older than ${overdueSeconds / 60} minutes.`,
    });
  }

  /** Stuck deploys and expired holds show nowhere when nobody looks for them. */
  #watchSweep(sweep: ServiceFunction): void {
    this.#alarm('sweep-stopped', 'sweep-stopped', 'The sweep has not run for 15 minutes.', {
      metric: sweep.metricInvocations({ period: fiveMinutes, statistic: 'Sum' }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  #watchFunction(one: ServiceFunction): void {
    const errors = one.metricErrors({ period: fiveMinutes, statistic: 'Sum' });
    const invocations = one.metricInvocations({ period: fiveMinutes, statistic: 'Sum' });
    this.#watch(`${one.folder}-errors`, {
      metric: new MathExpression({
        expression: '100 * errors / invocations',
        usingMetrics: { errors, invocations },
        period: fiveMinutes,
        label: 'failed, %',
      }),
      above: 1,
      entry: 'function-errors',
      says: `More than 1 % of the runs of ${one.folder} failed.`,
    });
    this.#watch(`${one.folder}-throttles`, {
      metric: one.metricThrottles({ period: fiveMinutes, statistic: 'Sum' }),
      above: 0,
      entry: 'function-throttles',
      says: `Lambda refused to run ${one.folder}.`,
    });
  }

  /** A rate, not a count: 502 is also how a deploy that was waited for says that its sources are at fault. */
  #watchApi({ rest }: Api): void {
    this.#watch('api-5xx', {
      metric: rest.metricServerError({ period: fiveMinutes, statistic: 'Average' }),
      above: 0.05,
      periods: 2,
      entry: 'api-5xx',
      says: 'More than 5 % of the requests were answered with 5xx.',
    });
  }

  #watchTable(log: TableV2): void {
    this.#watch('table-throttles', {
      metric: log.metricThrottledRequestsForOperations({ operations: usedOperations, period: fiveMinutes }),
      above: 0,
      entry: 'table-throttles',
      says: 'DynamoDB refused requests to the log.',
    });
    // Some are part of the design: changes of one user take turns by conflict and retry.
    this.#watch('table-conflicts', {
      metric: log.metric('TransactionConflict', { period: fiveMinutes, statistic: 'Sum' }),
      above: 100,
      periods: 3,
      entry: 'table-conflicts',
      says: 'Transactions on the log keep getting into each other’s way.',
    });
  }

  /** Readers still get every change, by looking for themselves; but only after half a minute. */
  #watchSignals({ signal, failures }: Changes): void {
    this.#watch('signals-late', {
      metric: signal.metric('IteratorAge', { period: fiveMinutes, statistic: 'Maximum' }),
      above: Duration.minutes(1).toMilliseconds(),
      entry: 'signals-late',
      says: 'Changes are signalled more than a minute after they were made.',
    });
    this.#watch('signals-lost', {
      metric: failures.metricApproximateNumberOfMessagesVisible({ period: fiveMinutes, statistic: 'Maximum' }),
      above: 0,
      entry: 'signals-lost',
      says: 'Signals of changes were given up after several tries.',
    });
  }

  /** Without a limit of their own, streams that find no room show as throttles of their function. */
  #watchStreams({ api, parameters: { changesConcurrency } }: AlarmsProps): void {
    const running = api
      .named('api-changes')
      .metric('ConcurrentExecutions', { period: Duration.minutes(1), statistic: 'Maximum' });
    const alarm = this.#watch('stream-concurrency', {
      metric: new MathExpression({
        expression: `100 * running / ${changesConcurrency.valueAsString}`,
        usingMetrics: { running },
        period: Duration.minutes(1),
        label: 'of the streams that may be open, %',
      }),
      above: 80,
      periods: 3,
      entry: 'stream-concurrency',
      says: 'More than 80 % of the streams of changes that may be open are open.',
    });
    const resource = alarm.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.cfnOptions.condition = api.limitsStreams;
  }

  #watch(id: string, { metric, above, entry, says, periods = 1 }: Watch): Alarm {
    return this.#alarm(id, entry, says, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  #alarm(id: string, entry: RunbookEntry, says: string, props: Omit<AlarmProps, 'alarmDescription'>): Alarm {
    const alarm = new Alarm(this, id, { ...props, alarmDescription: `${says} What to do: ${runbookAddress(entry)}` });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    return alarm;
  }
}

/** The operations that the functions use; each is a metric of its own. */
const usedOperations = [
  Operation.GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
];

/** With a key of its own: alarms cannot be published to a topic that is encrypted with the account's default key. */
function alarmTopic(scope: Construct, { alarmEmail }: Parameters): Topic {
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
