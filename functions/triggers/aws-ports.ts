import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { sqsQueue, sqsVisibility } from '../adapters/queues/sqs.ts';
import { dynamoDbConnections } from '../adapters/stores/dynamodb/connections/connections.ts';
import { dynamoDbLeases } from '../adapters/stores/dynamodb/connections/stream-leases.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import type { TableContext } from '../adapters/stores/dynamodb/table.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { LeasePorts } from '../core/limits/leased-stream.ts';
import { type StageName, stageAfter } from '../core/pipeline/pipeline.ts';
import type { StreamLeases } from '../core/ports/limits.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock } from '../core/ports/system.ts';
import type { StageConnection } from './stage.ts';
import { trace } from './trace.ts';

// The ports that many handlers bind to AWS, in DynamoDB and SQS. What needs further clients is elsewhere: with those of
// `host-ports.ts` in this file, esbuild would have every function load them that has the platform on AWS Lambda.

export function logTable(): TableContext {
  return { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
}

export function connections() {
  return dynamoDbConnections({ client: dynamoDb(), table: variable('CONNECTIONS_TABLE'), clock: systemClock });
}

/** The leases of streams and waits, which are in the table of connections. */
export function streamLeases(): StreamLeases {
  const slots = { user: numberVariable('STREAMS_PER_USER'), service: numberVariable('STREAMS_IN_ALL') };
  const table = { client: dynamoDb(), table: variable('CONNECTIONS_TABLE') };
  return dynamoDbLeases({ ...table, slots, clock: systemClock, ids: systemIds });
}

/** How long a stream may hold its function, its login, and the leases. */
export function streamLimits(accounts: LeasePorts['accounts']): LeasePorts & { readonly clock: Clock } {
  return { seconds: numberVariable('CHANGES_SECONDS'), leases: streamLeases(), accounts, clock: systemClock, trace };
}

export function queueTo(...names: readonly (StageName | 'report')[]): JobQueue {
  const urls = Object.fromEntries(names.map((name) => [name, queueUrl(name)]));
  return sqsQueue({ client: sqs(), urls, ids: systemIds });
}

function queueUrl(name: string): string {
  return variable(`QUEUE_${name.toUpperCase()}`);
}

/** What a stage runs on. Its queue sends to the next stage, to commit statuses and to `others`. */
export function receive(stage: StageName, ...others: readonly StageName[]) {
  const next = stageAfter(stage);
  return {
    stage,
    queue: queueTo(...(next ? [next] : []), 'report', ...others),
    log: dynamoDbLog(logTable()),
    setVisibility: sqsVisibility(sqs(), queueUrl(stage)),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
  } satisfies Partial<StageConnection>;
}
