import type { Random } from './random.ts';

/** The services that functions call. */
export const services = ['dynamodb', 'sqs', 's3', 'platform', 'host'] as const;
export type Service = (typeof services)[number];

/** What can happen to a call on its way; the first four before it arrives, the last three after. */
export const faults = ['refused', 'hangs', 'throttled', 'fails', 'cut', 'lost', 'late'] as const;
export type Fault = (typeof faults)[number];

/** An answer in place of the service's own. */
export interface FaultyAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const JSON_TYPE = 'application/x-amz-json-1.0';

/** Returns how a service says that it is called too often, in its own words. */
export function throttled(service: Service, target: string): FaultyAnswer {
  switch (service) {
    case 'dynamodb':
      return target.endsWith('TransactWriteItems') ? throttledTransaction() : throttledItem();
    case 'sqs':
      return awsJson(400, 'com.amazonaws.sqs#RequestThrottled', 'RequestThrottled;Sender');
    case 's3':
      return s3Error(503, 'SlowDown');
    case 'platform':
      return { status: 429, headers: { 'retry-after': '7' }, body: '{"error":"Too many requests."}' };
    case 'host':
      return { status: 429, headers: { 'retry-after': '11' }, body: '{"message":"API rate limit exceeded"}' };
  }
}

/** Returns an answer of a service, or of a gateway in front of it, that has failed. */
export function failed(service: Service): FaultyAnswer {
  switch (service) {
    case 'dynamodb':
      return awsJson(500, 'com.amazonaws.dynamodb.v20120810#InternalServerError');
    case 'sqs':
      return awsJson(503, 'com.amazonaws.sqs#ServiceUnavailable', 'ServiceUnavailable;Receiver');
    case 's3':
      return s3Error(500, 'InternalError');
    default:
      return { status: 502, headers: { 'content-type': 'text/html' }, body: '<h1>502 Bad Gateway</h1>' };
  }
}

/** Returns what happens to the next call: rarely something, and often while its service has an outage. */
export class Weather {
  readonly #random: Random;
  readonly #share: number;
  #outage: { readonly service: Service; left: number } | null = null;

  constructor(random: Random, share: number) {
    this.#random = random;
    this.#share = share;
  }

  next(service: Service): Fault | null {
    const random = this.#random;
    if (this.#share === 0) return null;
    if (!this.#outage && random.happens(this.#share / 10)) {
      this.#outage = { service: random.pick(services), left: 5 + random.below(35) };
    }
    const isOut = this.#outage?.service === service;
    if (this.#outage) this.#outage.left -= 1;
    if (this.#outage && this.#outage.left <= 0) this.#outage = null;
    if (!random.happens(isOut ? 0.7 : this.#share)) return null;
    // What hangs costs real time.
    const fault = random.pick(faults);
    return (fault === 'hangs' || fault === 'late') && random.happens(0.6) ? 'refused' : fault;
  }
}

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
