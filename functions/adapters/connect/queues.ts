import { SQSClient } from '@aws-sdk/client-sqs';
import { type StageName, stages } from '../../core/pipeline/pipeline.ts';
import type { JobQueue } from '../../core/ports/job-queue.ts';
import { sqsQueue, sqsVisibility } from '../queues/sqs.ts';
import { systemIds } from '../system/system.ts';
import { variable } from './environment.ts';
import { unlogged } from './unlogged.ts';

let client: SQSClient | undefined;

/** The queues that the function may send to, from those of `QUEUE_CHECK` … `QUEUE_START`, `QUEUE_REPORT` it was given. */
export function connectQueue(): JobQueue {
  const names = [...stages.map(({ name }) => name), 'report' as const];
  const urls = Object.fromEntries(names.map((name) => [name, process.env[variableOf(name)]]));
  return sqsQueue({ client: sqs(), urls, ids: systemIds });
}

/** Changes the visibility of the messages of a stage's own queue. */
export function connectVisibility(stage: StageName) {
  return sqsVisibility(sqs(), variable(variableOf(stage)));
}

function variableOf(name: StageName | 'report'): string {
  return `QUEUE_${name.toUpperCase()}`;
}

function sqs(): SQSClient {
  client ??= unlogged(
    new SQSClient({ maxAttempts: 3, requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000 } }),
  );
  return client;
}
