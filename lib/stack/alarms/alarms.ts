import { Aws, Duration } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmProps,
  CfnAlarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { FilterPattern, type LogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { FINDINGS } from '../../../functions/core/pipeline/pipeline.ts';
import type { Api } from '../api/api.ts';
import type { Changes } from '../changes.ts';
import type { ServiceFunction } from '../function.ts';
import type { Parameters } from '../parameters.ts';
import type { Pipeline } from '../pipeline.ts';
import type { Queues } from '../queues.ts';
import type { Stores } from '../stores.ts';
import { alarmTopic } from './alarm-topic.ts';
import { type RunbookEntry, runbookAddress } from './runbook.ts';

/** The parts of the stack that are watched. */
interface AlarmsProps {
  readonly parameters: Parameters;
  readonly logGroup: LogGroup;
  readonly stores: Stores;
  readonly queues: Queues;
  readonly pipeline: Pipeline;
  readonly api: Api;
  readonly changes: Changes;
}

/** The text of an alarm's mail: what it means, what to do first, and the section of the runbook. */
interface Description {
  readonly meaning: string;
  readonly firstStep: string;
  readonly entry: RunbookEntry;
}

interface Watch extends Description {
  readonly metric: IMetric;
  /** The alarm is raised when the metric is above it. */
  readonly above: number;
  /** Periods in a row that must be above; default 1. */
  readonly periods?: number;
}

const FIVE_MINUTES = Duration.minutes(5);

/** The alarms and the topic that they publish to; the topic sends mail when an address is configured. */
export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    this.topic = alarmTopic(this, props.parameters, props.stores.tokenKey);
    for (const [name, deadLetters] of props.queues.deadLetters) this.#watchDeadLetters(name, deadLetters);
    this.#watchSweep(props.pipeline.sweep);
    this.#watchFindings(props.logGroup);
    this.#watchFunctions(props.logGroup);
    this.#watchLogin(props.api);
    this.#watchRequests(props.logGroup);
    this.#watchTable(props.stores.log);
    this.#watchSignals(props.changes);
    this.#watchStreams(props);
  }

  #watchDeadLetters(name: string, deadLetters: Queue): void {
    this.#watch(`${name}-dead-letters`, {
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }),
      above: 0,
      entry: 'dead-letters',
      meaning: `Messages of ${name} failed every time they were received.`,
      firstStep:
        'Look for the uuid of the entry in the log of the function; when the cause is removed, redrive the queue.',
    });
  }

  /** Nothing else finds stuck deploys and expired holds. */
  #watchSweep(sweep: ServiceFunction): void {
    const description: Description = {
      entry: 'sweep-stopped',
      meaning: 'The sweep has not run for 15 minutes, so that stuck deploys and expired holds are not found.',
      firstStep: 'Check that the rule is enabled, and look at the errors of the function sweep.',
    };
    this.#alarm('sweep-stopped', description, {
      metric: sweep.metricInvocations({ period: FIVE_MINUTES, statistic: 'Sum' }),
      threshold: 1,
      comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
      evaluationPeriods: 3,
      treatMissingData: TreatMissingData.BREACHING,
    });
  }

  /**
   * Counted from the logs of what runs every minute, as one metric: it sees all queues, also a deploy whose message was
   * lost, and applications whose output goes nowhere.
   */
  #watchFindings(logGroup: LogGroup): void {
    this.#watch('findings', {
      metric: counted(this, 'Findings', logGroup, FINDING_LINES),
      above: 0,
      entry: 'findings',
      meaning:
        'Deploys have waited for more than 70 minutes in a stage, commit statuses for more than 30, or the log of an application is not written.',
      firstStep: 'Search the log of the functions for the line; each has a paragraph in the runbook.',
    });
  }

  /** One metric for all functions, counted from their logs: an alarm costs by the metrics that it watches. */
  #watchFunctions(logGroup: LogGroup): void {
    this.#watch('function-errors', {
      metric: counted(this, 'Failures', logGroup, FAILED),
      above: 0,
      entry: 'function-errors',
      meaning: 'A function crashed, ran out of memory or reached its timeout.',
      firstStep:
        'The metric is counted from the logs of all functions: search them for a platform.report that has failed.',
    });
  }

  /**
   * Each webhook needs the login first. Those of all functions would count what users do: a stopped application refuses
   * each of its visitors, and one with a limit those beyond that.
   */
  #watchLogin({ authorize }: Api): void {
    this.#watch('function-throttles', {
      metric: authorize.metricThrottles({ period: FIVE_MINUTES, statistic: 'Sum' }),
      above: 0,
      entry: 'function-throttles',
      meaning: 'Lambda refused to run the login, and with it webhooks: the runs that it may have are used up.',
      firstStep: 'Request more concurrency under Service Quotas, or raise the parameter ReservedConcurrency.',
    });
  }

  /** Answers with 5xx would count what users do: a deploy that fails while its caller waits, what this platform cannot do. */
  #watchRequests(logGroup: LogGroup): void {
    this.#watch('request-failures', {
      metric: counted(this, 'RequestFailures', logGroup, OWN_FAILURES),
      above: 5,
      periods: 2,
      entry: 'request-failures',
      meaning: 'Requests have failed because of the service itself: DynamoDB did not answer, or there is a mistake.',
      firstStep: 'Search the log of the functions for the event "request failed".',
    });
  }

  #watchTable(log: TableV2): void {
    this.#watch('table-throttles', {
      // A partition takes three times as many reads, and readers of one that has too many only wait.
      metric: log.metric('WriteThrottleEvents', { period: FIVE_MINUTES, statistic: 'Sum' }),
      above: 0,
      entry: 'table-throttles',
      meaning: 'DynamoDB throttled writes to the log; they are retried.',
      firstStep: 'Wait. If it lasts, find the user who writes more than 1000 times a second.',
    });
    // Some are expected: concurrent changes of one user conflict and are retried.
    this.#watch('table-conflicts', {
      metric: log.metric('TransactionConflict', { period: FIVE_MINUTES, statistic: 'Sum' }),
      above: 100,
      periods: 3,
      entry: 'table-conflicts',
      meaning: 'Many transactions on the log conflict with each other; they are retried.',
      firstStep: 'Look for a sender that repeats its calls.',
    });
  }

  /** Streams read the log every 30 seconds anyway: without notifications rows come late, and none is lost. */
  #watchSignals({ signal, failures }: Changes): void {
    this.#watch('signals-late', {
      metric: signal.metric('IteratorAge', { period: FIVE_MINUTES, statistic: 'Maximum' }),
      above: Duration.minutes(1).toMilliseconds(),
      entry: 'signals-late',
      meaning: 'Watchers are notified of changes more than a minute late; no change is lost.',
      firstStep: 'Look at the errors and throttles of the function changes-signal.',
    });
    this.#watch('signals-lost', {
      metric: failures.metricApproximateNumberOfMessagesVisible({ period: FIVE_MINUTES, statistic: 'Maximum' }),
      above: 0,
      entry: 'signals-lost',
      meaning: 'Notifications of changes failed several times and are in the failure queue; no change is lost.',
      firstStep: 'Look at the log of the function changes-signal, and purge the queue when the cause is removed.',
    });
  }

  /** Only with `ChangesConcurrency`: without it, refused streams are throttles of their function. */
  #watchStreams({ api, parameters: { changesConcurrency } }: AlarmsProps): void {
    const running = api
      .named('api-changes')
      .metric('ConcurrentExecutions', { period: Duration.minutes(1), statistic: 'Maximum' });
    const alarm = this.#watch('stream-concurrency', {
      metric: new MathExpression({
        expression: `100 * running / ${changesConcurrency.valueAsString}`,
        usingMetrics: { running },
        period: Duration.minutes(1),
        label: 'open streams, % of the reserved ones',
      }),
      above: 80,
      periods: 3,
      entry: 'stream-concurrency',
      meaning: 'More than 80 % of the reserved streams of changes are open; the next watchers will be refused.',
      firstStep: 'Raise the parameter ChangesConcurrency.',
    });
    const resource = alarm.node.defaultChild;
    if (resource instanceof CfnAlarm) resource.cfnOptions.condition = api.limitsStreams;
  }

  #watch(id: string, { metric, above, periods = 1, ...description }: Watch): Alarm {
    return this.#alarm(id, description, {
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }

  #alarm(id: string, description: Description, props: Omit<AlarmProps, 'alarmDescription'>): Alarm {
    const alarm = new Alarm(this, id, { ...props, alarmDescription: mailText(description) });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
    return alarm;
  }
}

function mailText({ meaning, firstStep, entry }: Description): string {
  return `${meaning} ${firstStep} Runbook: ${runbookAddress(entry)}`;
}

/** Returns a metric that counts the lines of the log that match a pattern. Ten such metrics are free. */
function counted(scope: Construct, metricName: string, logGroup: LogGroup, pattern: string): Metric {
  const filterPattern = FilterPattern.literal(pattern);
  const metricNamespace = Aws.STACK_NAME;
  new MetricFilter(scope, metricName, { logGroup, filterPattern, metricNamespace, metricName, metricValue: '1' });
  return new Metric({ namespace: metricNamespace, metricName, period: FIVE_MINUTES, statistic: 'Sum' });
}

/**
 * Lambda writes such a line at the end of each invocation.
 * https://docs.aws.amazon.com/lambda/latest/dg/telemetry-schema-reference.html
 */
const FAILED = '{ $.type = "platform.report" && $.record.status != "success" }';

/** Without those of repository hosts and of applications, which are their users'. */
const OWN_FAILURES = `{ $.message.event = "request failed" && (${[
  '$.message.error.name != "DeployError"',
  ...['deploy:db:', 'status:db:'].map((code) => `$.message.error.message = "${code}*"`),
].join(' || ')}) }`;

const FINDING_LINES = `{ ${Object.values(FINDINGS)
  .map((event) => `$.message.event = "${event}"`)
  .join(' || ')} }`;
