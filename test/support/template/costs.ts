import { chosen, type Resource } from './service-template.ts';

/**
 * List prices in dollars for us-east-1. AWS's own pages load them by a script, so in November 2026 they were compared
 * with secondary sources; each names its source, with its date if it has one.
 */
const PRICES = {
  /** https://c3x.dev/resources/aws/aws_cloudwatch_metric_alarm */
  alarmMetric: 0.1,
  /** https://cloudburn.io/blog/aws-kms-pricing, March 2026; also that each of the first two rotations adds as much. */
  key: 1,
  /** https://hivebook.wiki/wiki/aws-secrets-manager-rotated-secrets-dynamic-db-credentials-kms */
  secret: 0.4,
  /** Of FIFO queues: https://cloudburn.io/blog/amazon-sqs-pricing, March 2026. */
  millionQueueRequests: 0.5,
  /** https://github.com/api-evangelist/aws-lambda, plans/aws-lambda-plans-pricing.yml, September 2026. */
  millionInvocations: 0.2,
  /** `prices.js` of the package artillery 2.0.28. */
  armGigabyteSecond: 0.0000133334,
  /** https://airbyte.com/data-engineering-resources/dynamodb-pricing, July 2025; the write units too. */
  millionReadUnits: 0.125,
  millionWriteUnits: 0.625,
  /** Of the REST API: https://awsforengineers.com/blog/aws-api-gateway-pricing-explained, May 2025. */
  millionApiRequests: 3.5,
  /** https://amnic.com/blogs/aws-api-gateway-pricing */
  millionConnectionMinutes: 0.25,
  /** https://www.factualminds.com/blog/amazon-cloudwatch-pricing-metrics-logs-alarms-dashboards/, June 2026. */
  gigabyteOfLogs: 0.5,
  /** From memory: https://aws.amazon.com/kms/pricing/ */
  tenThousandKeyRequests: 0.03,
  /** Not confirmed: an example in an article has it, no list. */
  thousandPuts: 0.005,
  /** Not confirmed: of `BUILD_LAMBDA_4GB` on Arm, from memory. https://aws.amazon.com/codebuild/pricing/ */
  buildSecond: 0.00004,
} as const;

/**
 * What AWS gives every account for nothing, without an end: https://aws.amazon.com/cloudwatch/pricing/ (this part is
 * text), and the article on queues. The metric that counts failures is one of ten that are free.
 */
const FREE = { alarmMetrics: 10, queueRequests: 1_000_000 } as const;

const MONTH_SECONDS = 30 * 24 * 60 * 60;
const LONG_POLL_SECONDS = 20;
/**
 * Pollers of an idle queue. "As few as 2" is said of standard queues, unless their mapping has a limit; of FIFO queues
 * nothing is said. https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html
 */
const POLLERS = { fewest: 2, limited: 5 } as const;
/** A run of the sweep or the watch without work: measured on emulators, and rounded up. */
const IDLE_RUN = { seconds: 0.1, readUnits: 4, logBytes: 1000 } as const;

/**
 * What a deploy takes on the default platform. The write units are counted by test/aws/functions/pipeline.test.ts, the
 * runs by test/aws/platforms.test.ts. The rest is estimated: units of the table of the platform, and a start with its trial.
 */
export const DEPLOY = { writeUnits: 75, readUnits: 44, queueRequests: 21, runs: 11, apiRequests: 1 } as const;
const ON_PLATFORM = { writeUnits: 11, readUnits: 8, puts: 8, keyRequests: 6, logKilobytes: 60 } as const;
/** Of a warm webhook, its login included; most of a cold start is not billed on top. */
const SECONDS_OF_ACCEPTANCE = { authorize: 0.1, 'api-deploy': 0.1 } as const;
const SECONDS_OF_STAGES = { check: 2, fetch: 3, upload: 3, extract: 4, start: 8 } as const;

export interface Costs {
  /** Dollars a month with the default platform, in an account with so many runs that `deploy` reserves some. */
  readonly idle: Readonly<Record<string, number>>;
  /** The same in a new account, in which `StageConcurrency` limits the stages. */
  readonly idleInNewAccount: Readonly<Record<string, number>>;
  /** The same where `deploy` sets neither, so that Lambda polls as little as it may. */
  readonly idleWithoutLimits: Readonly<Record<string, number>>;
  readonly thousandDeploys: Readonly<Record<string, number>>;
  /** A minute each. */
  readonly thousandBuilds: Readonly<Record<string, number>>;
  readonly thousandWatcherHours: Readonly<Record<string, number>>;
}

/** Returns what the template costs, in dollars. */
export function costsOf(ofType: (type: string) => Resource[]): Costs {
  const functions = new Map(
    ofType('AWS::Lambda::Function').map(({ properties }) => [properties.Description, properties.MemorySize / 1024]),
  );
  const memoryGb = (name: string): number => functions.get(name) ?? Number.NaN;
  return {
    idle: idleCosts(ofType, 'ReservationGiven'),
    idleInNewAccount: idleCosts(ofType, 'LimitGiven'),
    idleWithoutLimits: idleCosts(ofType),
    thousandDeploys: {
      'database units':
        ((DEPLOY.writeUnits + ON_PLATFORM.writeUnits) * PRICES.millionWriteUnits +
          (DEPLOY.readUnits + ON_PLATFORM.readUnits) * PRICES.millionReadUnits) /
        1000,
      'queue requests': (DEPLOY.queueRequests * PRICES.millionQueueRequests) / 1000,
      'requests of the API': (DEPLOY.apiRequests * PRICES.millionApiRequests) / 1000,
      'function runs': (DEPLOY.runs * PRICES.millionInvocations) / 1000,
      'function time': 1000 * PRICES.armGigabyteSecond * secondsOf(memoryGb),
      'objects in S3': ON_PLATFORM.puts * PRICES.thousandPuts,
      'key requests': (ON_PLATFORM.keyRequests * PRICES.tenThousandKeyRequests) / 10,
      logs: (ON_PLATFORM.logKilobytes * PRICES.gigabyteOfLogs) / 1000,
    },
    thousandBuilds: { 'build time': 1000 * 60 * PRICES.buildSecond },
    thousandWatcherHours: {
      'function time': 1000 * 3600 * memoryGb('api-changes') * PRICES.armGigabyteSecond,
      "the functions' own WebSocket connections": (1000 * 60 * PRICES.millionConnectionMinutes) / 1e6,
    },
  };
}

function idleCosts(ofType: (type: string) => Resource[], ...holding: readonly string[]): Record<string, number> {
  const metrics = ofType('AWS::CloudWatch::Alarm')
    .filter(isInEach)
    .reduce((sum, alarm) => sum + metricsOf(alarm), 0);
  const queues = ofType('AWS::Lambda::EventSourceMapping').filter(({ properties }) => properties.FunctionResponseTypes);
  const ofQueues = queues.filter(({ properties }) => properties.StartingPosition === undefined);
  const pollers = ofQueues.reduce((sum, { properties }) => sum + pollersOf(properties, holding), 0);
  const polls = (pollers * MONTH_SECONDS) / LONG_POLL_SECONDS;
  const targets = ofType('AWS::Events::Rule').reduce((sum, { properties }) => sum + everyMinute(properties), 0);
  const runs = (targets * MONTH_SECONDS) / 60;
  return {
    'alarm metrics': Math.max(0, metrics - FREE.alarmMetrics) * PRICES.alarmMetric,
    'encryption keys': ofType('AWS::KMS::Key').length * PRICES.key,
    secrets: ofType('AWS::SecretsManager::Secret').filter(isInEach).length * PRICES.secret,
    'polling of idle queues': (Math.max(0, polls - FREE.queueRequests) * PRICES.millionQueueRequests) / 1e6,
    'runs every minute':
      runs * (PRICES.millionInvocations / 1e6 + 0.5 * IDLE_RUN.seconds * PRICES.armGigabyteSecond) +
      (runs * IDLE_RUN.readUnits * PRICES.millionReadUnits) / 1e6 +
      (runs * IDLE_RUN.logBytes * PRICES.gigabyteOfLogs) / 1e9,
  };
}

function pollersOf({ ScalingConfig }: Resource['properties'], holding: readonly string[]): number {
  const { MaximumConcurrency } = chosen(ScalingConfig, holding) ?? {};
  return MaximumConcurrency === undefined ? POLLERS.fewest : POLLERS.limited;
}

/** Whether it is in each stack. The rest is an operator's choice, such as a firewall. */
function isInEach({ condition }: Resource): boolean {
  return condition === undefined;
}

/** An alarm is paid for by the metrics that it watches. */
function metricsOf({ properties }: Resource): number {
  return properties.Metrics?.filter(({ MetricStat }: { MetricStat?: unknown }) => MetricStat).length ?? 1;
}

function everyMinute({ ScheduleExpression, Targets }: Resource['properties']): number {
  return ScheduleExpression === 'rate(1 minute)' ? Targets.length : 0;
}

/** Returns the gigabyte-seconds of a deploy. */
function secondsOf(memoryGb: (name: string) => number): number {
  const stages = Object.entries(SECONDS_OF_STAGES).map(([name, seconds]) => seconds * memoryGb(`stage-${name}`));
  const acceptance = Object.entries(SECONDS_OF_ACCEPTANCE).map(([name, seconds]) => seconds * memoryGb(name));
  return [...stages, ...acceptance].reduce((sum, one) => sum + one, 0);
}

/** Returns the sum of the parts of a bill. */
export function sumOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}
