import type { Resource } from './service-template.ts';

/**
 * List prices in dollars for us-east-1. Compared in November 2026, not with AWS's own pages, which fill them in by a
 * script: units of the database (https://airbyte.com/data-engineering-resources/dynamodb-pricing, July 2025), requests
 * of FIFO queues and those for nothing (https://cloudburn.io/blog/amazon-sqs-pricing, March 2026), gigabyte-seconds of
 * Arm (`prices.js` of the package artillery 2.0.28). The others are from memory.
 */
const PRICES = {
  alarmMetric: 0.1,
  key: 1,
  secret: 0.4,
  millionQueueRequests: 0.5,
  millionInvocations: 0.2,
  armGigabyteSecond: 0.0000133334,
  millionReadUnits: 0.125,
  millionWriteUnits: 0.625,
  millionApiRequests: 3.5,
  millionConnectionMinutes: 0.25,
  gigabyteOfLogs: 0.5,
  thousandPuts: 0.005,
} as const;

/** What AWS gives every account for nothing, without an end. */
const FREE = { alarmMetrics: 10, queueRequests: 1_000_000 } as const;

const MONTH_SECONDS = 30 * 24 * 60 * 60;
const LONG_POLL_SECONDS = 20;
/** https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
const POLLERS_OF_AN_IDLE_QUEUE = 2;
/** A run of the sweep or the watch without work: measured on emulators, and rounded up. */
const IDLE_RUN = { seconds: 0.1, readUnits: 4, logBytes: 1000 } as const;

/**
 * What a deploy takes: items of the measured sizes, with the refused transactions; waits of an installation in seconds.
 */
const DEPLOY = { writeUnits: 194, readUnits: 44, queueRequests: 21, runs: 16, apiRequests: 1, puts: 3 } as const;
const SECONDS_OF_STAGES = { check: 2, fetch: 3, upload: 3, extract: 20, start: 6 } as const;

export interface Costs {
  /** Dollars a month. */
  readonly idle: Readonly<Record<string, number>>;
  readonly thousandDeploys: Readonly<Record<string, number>>;
  readonly thousandWatcherHours: Readonly<Record<string, number>>;
}

/** Returns what the template costs, in dollars. */
export function costsOf(ofType: (type: string) => Resource[]): Costs {
  const functions = new Map(
    ofType('AWS::Lambda::Function').map(({ properties }) => [properties.Description, properties.MemorySize / 1024]),
  );
  const memoryGb = (name: string): number => functions.get(name) ?? Number.NaN;
  return {
    idle: idleCosts(ofType),
    thousandDeploys: {
      'database units':
        (DEPLOY.writeUnits * PRICES.millionWriteUnits + DEPLOY.readUnits * PRICES.millionReadUnits) / 1000,
      'queue requests': (DEPLOY.queueRequests * PRICES.millionQueueRequests) / 1000,
      'requests of the API': (DEPLOY.apiRequests * PRICES.millionApiRequests) / 1000,
      'function runs': (DEPLOY.runs * PRICES.millionInvocations) / 1000,
      'function time': 1000 * PRICES.armGigabyteSecond * stageSeconds(memoryGb),
      'tarballs in S3': DEPLOY.puts * PRICES.thousandPuts,
    },
    thousandWatcherHours: {
      'function time': 1000 * 3600 * memoryGb('api-changes') * PRICES.armGigabyteSecond,
      "the functions' own WebSocket connections": (1000 * 60 * PRICES.millionConnectionMinutes) / 1e6,
    },
  };
}

function idleCosts(ofType: (type: string) => Resource[]): Record<string, number> {
  const metrics = ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsOf(alarm), 0);
  const queues = ofType('AWS::Lambda::EventSourceMapping').filter(({ properties }) => properties.FunctionResponseTypes);
  const ofQueues = queues.filter(({ properties }) => properties.StartingPosition === undefined);
  const polls = (ofQueues.length * POLLERS_OF_AN_IDLE_QUEUE * MONTH_SECONDS) / LONG_POLL_SECONDS;
  const targets = ofType('AWS::Events::Rule').reduce((sum, { properties }) => sum + everyMinute(properties), 0);
  const runs = (targets * MONTH_SECONDS) / 60;
  return {
    'alarm metrics': Math.max(0, metrics - FREE.alarmMetrics) * PRICES.alarmMetric,
    'encryption keys': ofType('AWS::KMS::Key').length * PRICES.key,
    secrets: ofType('AWS::SecretsManager::Secret').length * PRICES.secret,
    'polling of idle queues': (Math.max(0, polls - FREE.queueRequests) * PRICES.millionQueueRequests) / 1e6,
    'runs every minute':
      runs * (PRICES.millionInvocations / 1e6 + 0.5 * IDLE_RUN.seconds * PRICES.armGigabyteSecond) +
      (runs * IDLE_RUN.readUnits * PRICES.millionReadUnits) / 1e6 +
      (runs * IDLE_RUN.logBytes * PRICES.gigabyteOfLogs) / 1e9,
  };
}

/** An alarm is paid for by the metrics that it watches; one with a condition is an operator's choice. */
function metricsOf({ properties }: Resource): number {
  if (JSON.stringify(properties).includes('"ChangesConcurrency"')) return 0;
  return properties.Metrics?.filter(({ MetricStat }: { MetricStat?: unknown }) => MetricStat).length ?? 1;
}

function everyMinute({ ScheduleExpression, Targets }: Resource['properties']): number {
  return ScheduleExpression === 'rate(1 minute)' ? Targets.length : 0;
}

function stageSeconds(memoryGb: (name: string) => number): number {
  return Object.entries(SECONDS_OF_STAGES).reduce(
    (sum, [name, seconds]) => sum + seconds * memoryGb(`stage-${name}`),
    0,
  );
}

/** Returns the sum of the parts of a bill. */
export function sumOf(parts: Readonly<Record<string, number>>): number {
  return Object.values(parts).reduce((sum, part) => sum + part, 0);
}
