import { type FaultyAnswer, type FaultyAnswers, httpAnswers } from '../../../faults/world/faults.ts';

/** The services that functions call. */
export const services = ['dynamodb', 'sqs', 's3', 'platform', 'host'] as const;
export type Service = (typeof services)[number];

/** Those that functions call through a proxy. */
export type Proxied = Exclude<Service, 'platform'>;

const JSON_TYPE = 'application/x-amz-json-1.0';

/** How each service says that it is called too often, and that it has failed, in its own words. */
export const answersOf: Readonly<Record<Proxied, FaultyAnswers>> = {
  dynamodb: {
    throttled: (target) => (target.endsWith('TransactWriteItems') ? throttledTransaction() : throttledItem()),
    failed: () => awsJson(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError'),
  },
  sqs: {
    throttled: () => awsJson(400, 'com.amazonaws.sqs#RequestThrottled', 'RequestThrottled;Sender'),
    failed: () => awsJson(503, 'com.amazonaws.sqs#ServiceUnavailable', 'ServiceUnavailable;Receiver'),
  },
  s3: { throttled: () => s3Error(503, 'SlowDown'), failed: () => s3Error(500, 'InternalError') },
  host: httpAnswers(11),
};

function throttledItem(): FaultyAnswer {
  return awsJson(400, 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException');
}

/** https://docs.aws.amazon.com/amazondynamodb/latest/APIReference/API_TransactWriteItems.html */
function throttledTransaction(): FaultyAnswer {
  const body = {
    __type: 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException',
    message: 'Transaction cancelled, please refer cancellation reasons for specific reasons [ThrottlingError, None]',
    CancellationReasons: [
      { Code: 'ThrottlingError', Message: 'Throughput exceeds the current capacity.' },
      { Code: 'None' },
    ],
  };
  return { status: 400, headers: { 'content-type': JSON_TYPE }, body: JSON.stringify(body) };
}

function awsJson(status: number, type: string, query?: string): FaultyAnswer {
  const headers = { 'content-type': JSON_TYPE, ...(query && { 'x-amzn-query-error': query }) };
  return { status, headers, body: JSON.stringify({ __type: type, message: 'An injected fault.' }) };
}

function s3Error(status: number, code: string): FaultyAnswer {
  const body = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>An injected fault.</Message></Error>`;
  return { status, headers: { 'content-type': 'application/xml' }, body };
}
