import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import type { DynamoDBStreamEvent } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { type Emulators, startEmulators } from '../../../aws-local/emulators/emulators.ts';
import type { Closable } from '../../../aws-local/invoke/invoker.ts';
import { createResources } from '../../../aws-local/resources/resources.ts';
import { startStreams } from '../../../aws-local/sources/streams/streams.ts';
import { strictEvents } from '../../../aws-local/strict/strict.ts';
import { fakeFunctions } from '../../../support/aws-local/fake-functions.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

let emulators: Emulators;
let client: DynamoDBClient;
let streams: Closable | undefined;
let number = 0;

beforeAll(async () => {
  emulators = await startEmulators();
  client = new DynamoDBClient(clientFor(emulators.endpoints.dynamodb));
});
afterEach(async () => {
  await streams?.close();
});
afterAll(() => emulators.close());

type Handle = (event: DynamoDBStreamEvent) => unknown;
const sortKey = (record: DynamoDBStreamEvent['Records'][number]) => String(record.dynamodb?.Keys?.sk?.S);

/** A table of its own for each test, with a stream and a function behind it. */
async function tableWith(mapping: Record<string, unknown>, handle?: Handle) {
  number += 1;
  const name = `log${number}`;
  const template = templateOf({
    Log: [
      'AWS::DynamoDB::GlobalTable',
      {
        TableName: name,
        AttributeDefinitions: ['pk', 'sk'].map((key) => ({ AttributeName: key, AttributeType: 'S' })),
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        StreamSpecification: { StreamViewType: 'NEW_IMAGE' },
      },
    ],
    Failures: ['AWS::SQS::Queue', { QueueName: `failures${number}` }],
    Mapping: [
      'AWS::Lambda::EventSourceMapping',
      {
        EventSourceArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${name}/stream/local`,
        FunctionName: 'signal',
        StartingPosition: 'TRIM_HORIZON',
        DestinationConfig: { OnFailure: { Destination: `arn:aws:sqs:us-east-1:000000000000:failures${number}` } },
        ...mapping,
      },
    ],
  });
  await createResources({ template, endpoints: emulators.endpoints });
  const functions = fakeFunctions<DynamoDBStreamEvent>(handle);
  const warnings: string[] = [];
  const start = async (invoker = functions.invoker) => {
    streams = await startStreams({
      template,
      ...emulators,
      functions: invoker,
      warn: (sentence) => warnings.push(sentence),
    });
    return streams;
  };
  const put = (sk: string, more = {}) =>
    client.send(new PutItemCommand({ TableName: name, Item: { pk: { S: 'u' }, sk: { S: sk }, ...more } }));
  const batches = () => functions.events.map((event) => event.Records.map(sortKey).join('+'));
  const failures = async () => {
    const QueueUrl = `${emulators.endpoints.sqs}/000000000000/failures${number}`;
    const { Messages } = await new SQSClient(clientFor(emulators.endpoints.sqs)).send(
      new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 5 }),
    );
    return (Messages ?? []).map((message) => JSON.parse(message.Body ?? ''));
  };
  return { start, put, batches, failures, warnings, events: functions.events, invoker: functions.invoker };
}

describe('A table stream', () => {
  it('a write starts the function of the stream soon, with the record of Lambda', async () => {
    const { start, put, events } = await tableWith({});
    await start();
    await sleep(150);
    await put('HEAD', { bytes: { B: Buffer.from('hi') }, list: { L: [{ N: '1' }] } });
    await expect.poll(() => events.length, { interval: 2 }).toBe(1);
    expect(events[0]?.Records[0]).toEqual({
      eventID: expect.any(String),
      eventName: 'INSERT',
      eventVersion: expect.any(String),
      eventSource: 'aws:dynamodb',
      awsRegion: 'us-east-1',
      eventSourceARN: expect.stringMatching(/^arn:aws:dynamodb:us-east-1:000000000000:table\/log\d+\/stream\/local$/),
      dynamodb: {
        ApproximateCreationDateTime: expect.any(Number),
        Keys: { pk: { S: 'u' }, sk: { S: 'HEAD' } },
        NewImage: { pk: { S: 'u' }, sk: { S: 'HEAD' }, bytes: { B: 'aGk=' }, list: { L: [{ N: '1' }] } },
        SequenceNumber: expect.any(String),
        SizeBytes: expect.any(Number),
        StreamViewType: 'NEW_IMAGE',
      },
    });
  });

  it('a function gets only the stream records that pass one of its filters', async () => {
    const Pattern = JSON.stringify({ dynamodb: { Keys: { sk: { S: ['HEAD'] } } } });
    const { start, put, batches } = await tableWith({ FilterCriteria: { Filters: [{ Pattern }] } });
    for (const sk of ['E#1', 'HEAD', 'C#1']) await put(sk);
    await start();
    await put('last');
    await put('HEAD');
    await expect.poll(() => batches().join('+')).toBe('HEAD+HEAD');
  });

  it('stream records are delivered in order, in batches of the batch size', async () => {
    const { start, put, batches } = await tableWith({ BatchSize: 2 });
    for (const sk of ['1', '2', '3']) await put(sk);
    await start();
    await expect.poll(batches).toEqual(['1+2', '3']);
  });

  it('a batch of stream records does not exceed the size of an event', async () => {
    const { start, put, batches } = await tableWith({});
    const filling = { doc: { S: 'x'.repeat(390 * 1024) } };
    for (const sk of ['1', '2', '3', '4', '5', '6', '7', '8', '9']) await put(sk, filling);
    await start();
    await expect.poll(batches).toEqual(['1+2+3+4+5+6+7', '8+9']);
  });

  it('batches run in parallel, and the records of one item keep their order', async () => {
    let running = 0;
    let most = 0;
    const seen: string[] = [];
    const { start, put } = await tableWith({ ParallelizationFactor: 4, BatchSize: 1 }, async ({ Records }) => {
      running += 1;
      most = Math.max(most, running);
      await sleep(10);
      seen.push(...Records.map((record) => `${sortKey(record)}=${record.dynamodb?.NewImage?.n?.N}`));
      running -= 1;
    });
    for (const n of ['1', '2', '3']) for (const sk of ['a', 'b', 'c', 'd']) await put(sk, { n: { N: n } });
    await start();
    await expect.poll(() => seen.length).toBe(12);
    expect(most).toBeGreaterThan(1);
    expect(seen.filter((item) => item.startsWith('b'))).toEqual(['b=1', 'b=2', 'b=3']);
  });

  it('a failing batch is bisected down to the bad record, which is discarded and reported to the failure queue', async () => {
    const refuse: Handle = ({ Records }) => {
      if (Records.some((record) => sortKey(record) === 'bad')) throw new Error('cannot read');
    };
    const { start, put, batches, failures, events } = await tableWith(
      { BisectBatchOnFunctionError: true, MaximumRetryAttempts: 1 },
      refuse,
    );
    for (const sk of ['1', 'bad', '3', '4']) await put(sk);
    await start();
    await expect.poll(batches).toEqual(['1+bad+3+4', '1+bad', '1', 'bad', 'bad', '3+4']);
    const sequence = events.at(3)?.Records[0]?.dynamodb?.SequenceNumber;
    expect(await failures()).toEqual([
      expect.objectContaining({
        requestContext: expect.objectContaining({ condition: 'RetryAttemptsExhausted', approximateInvokeCount: 2 }),
        DDBStreamBatchInfo: expect.objectContaining({
          batchSize: 1,
          startSequenceNumber: sequence,
          endSequenceNumber: sequence,
        }),
      }),
    ]);
  });

  it('where batches come twice, each half of a bisected one does', async () => {
    const refuse: Handle = ({ Records }) => {
      if (Records.length > 2) throw new Error('too many');
    };
    const { start, put, batches, invoker } = await tableWith({ BisectBatchOnFunctionError: true }, refuse);
    for (const sk of ['1', '2', '3', '4']) await put(sk);
    await start(strictEvents(invoker, { doubledPart: 1 }));
    await expect.poll(batches).toEqual(['1+2+3+4', '1+2', '1+2', '3+4', '3+4']);
  });

  it('a batch is retried from the first record that the function reports', async () => {
    let failed = false;
    const report: Handle = ({ Records }) => {
      const second = Records[1]?.dynamodb?.SequenceNumber;
      if (failed || !second) return {};
      failed = true;
      return { batchItemFailures: [{ itemIdentifier: second }] };
    };
    const { start, put, batches } = await tableWith({ FunctionResponseTypes: ['ReportBatchItemFailures'] }, report);
    for (const sk of ['1', '2', '3']) await put(sk);
    await start();
    await expect.poll(batches).toEqual(['1+2+3', '2+3']);
  });
});
