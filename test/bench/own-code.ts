import { randomUUID } from 'node:crypto';
import { DynamoDBClient, GetItemCommand, TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { proxyEvent } from '../support/events/aws-events.ts';
import { pushPayload } from './push-payload.ts';
import type { BenchRow } from './row.ts';
import { milliseconds, quantile } from './statistics.ts';

const WARM = 500;
const CALLS = 2_000;
const MOST_MS = 1;
/** The payload, the entry and the message of its first stage. */
const MOST_AWS_CALLS = 3;

/**
 * Measures the time of the service's own code for a push, and its number of AWS calls: the whole function, from the
 * gateway's event to its response, with SDK clients that respond at once.
 */
export async function run(): Promise<readonly BenchRow[]> {
  Object.assign(process.env, environment);
  const database = mockClient(DynamoDBClient);
  const queues = mockClient(SQSClient);
  // The counters of the user, which are read once and remembered.
  database.on(GetItemCommand).resolves({});
  database.on(TransactWriteItemsCommand).resolves({});
  queues.on(SendMessageCommand).resolves({});
  try {
    const { handler } = await import('../../functions/api-deploy/handler.ts');
    const times: number[] = [];
    for (let call = 0; call < WARM + CALLS; call += 1) {
      const event = hook();
      database.resetHistory();
      queues.resetHistory();
      const start = performance.now();
      const { statusCode } = await handler(event, {} as Context);
      times.push(performance.now() - start);
      if (statusCode !== 202) throw new Error(`A push was answered with ${statusCode}.`);
    }
    return rows(times.slice(WARM), database.calls().length + queues.calls().length);
  } finally {
    database.restore();
    queues.restore();
  }
}

function rows(times: readonly number[], awsCalls: number): BenchRow[] {
  const p50 = quantile(times, 0.5);
  return [
    {
      figure: `acknowledgement, own code, p99 ${milliseconds(quantile(times, 0.99))}, p50`,
      value: milliseconds(p50),
      baseline: '–',
      target: `≤ ${MOST_MS} ms`,
      reached: p50 <= MOST_MS,
    },
    {
      figure: 'calls to AWS before the answer',
      value: String(awsCalls),
      baseline: '–',
      target: `≤ ${MOST_AWS_CALLS}`,
      reached: awsCalls <= MOST_AWS_CALLS,
    },
  ];
}

const environment = {
  AWS_REGION: 'us-east-1',
  LOG_TABLE: 'log',
  PAYLOADS_TABLE: 'payloads',
  QUEUE_CHECK: 'http://127.0.0.1:1/check',
  QUEUE_FETCH: 'http://127.0.0.1:1/fetch',
  QUEUE_REPORT: 'http://127.0.0.1:1/report',
  DEFAULT_BRANCH: 'main',
  REPOSITORY_HOSTS: JSON.stringify([
    { name: 'github', kind: 'github', api: 'https://api.github.com', web: 'https://github.com' },
  ]),
};

function hook(): APIGatewayProxyEvent {
  return proxyEvent({
    headers: { 'x-github-event': 'push', 'x-github-delivery': randomUUID(), 'content-type': 'application/json' },
    body: pushPayload('ann', 'https://github.com'),
    requestContext: { requestId: randomUUID(), authorizer: { user: 'ann' } },
  });
}
