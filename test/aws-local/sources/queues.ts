import { once, setMaxListeners } from 'node:events';
import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { DeleteMessageBatchCommand, type Message, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT, clientFor, REGION } from '../clients.ts';
import type { Endpoints } from '../emulators/emulators.ts';
import type { Closable, Invoker, Warn } from '../invoke/invoker.ts';
import type { Template } from '../template/template.ts';
import { failedIds, groupBy, type Mapping, mappingsOf } from './event-source-mapping.ts';

/** Options of running the queues of a template. */
export interface QueueOptions {
  readonly template: Template;
  readonly endpoints: Pick<Endpoints, 'sqs'>;
  readonly functions: Invoker;
  readonly warn: Warn;
}

const LONG_POLL_SECONDS = 20;
const MAX_PER_RECEIVE = 10;
const DEFAULT_CONCURRENCY = 8;
/** More parallel invocations would not finish sooner on one machine. */
const MAX_CONCURRENCY = Math.max(4, 2 * availableParallelism());
const RETRY_AFTER_MS = 1000;

/**
 * Invokes the functions of the template's queues, as Lambda's event source mappings do: a message starts its function
 * immediately, batches run in parallel, and a FIFO queue has one batch per message group at a time. Messages
 * that succeeded are deleted; those that failed stay hidden for the queue's visibility timeout, or for the one that the
 * function set, and are received again. `MaximumBatchingWindowInSeconds` is ignored.
 *
 * @throws OperatorError when a queue's mapping has filters, which are not supported here
 */
export function startQueues(options: QueueOptions): Closable {
  const stop = new AbortController();
  // Every loop and running request listens to this signal; Node warns of a leak from eleven listeners on.
  setMaxListeners(0, stop.signal);
  const client = new SQSClient(clientFor(options.endpoints.sqs));
  const loops = mappingsOf(options.template, 'sqs').map((mapping) =>
    poll({ mapping: plain(mapping), client, signal: stop.signal, ...options }),
  );
  return {
    close: async () => {
      stop.abort();
      await Promise.all(loops);
      client.destroy();
    },
  };
}

function plain(mapping: Mapping): Mapping {
  if (mapping.filters.length === 0) return mapping;
  throw new OperatorError(`${mapping.id}: filters on a queue are not supported on this machine.`);
}

interface Poll extends QueueOptions {
  readonly mapping: Mapping;
  readonly client: SQSClient;
  readonly signal: AbortSignal;
}

/** One long poll at a time is enough: the next one starts as soon as the messages are delivered. */
async function poll(options: Poll): Promise<void> {
  const { mapping, signal } = options;
  const most = mostAtATime(mapping);
  const running = new Set<Promise<void>>();
  const stopped = once(signal, 'abort');
  while (!signal.aborted) {
    if (running.size >= most) {
      await Promise.race([...running, stopped]);
      continue;
    }
    for (const batch of await receive(options, most - running.size)) {
      const delivery = deliver(batch).finally(() => running.delete(delivery));
      running.add(delivery);
    }
  }
}

/** Without a limit at the queue, Lambda does not know what is reserved: it receives more than may run. */
function mostAtATime({ maximumConcurrency, reserved = 0 }: Mapping): number {
  const most = Math.min(maximumConcurrency ?? DEFAULT_CONCURRENCY, MAX_CONCURRENCY);
  return maximumConcurrency === undefined ? Math.max(most, 2 * reserved) : most;
}

async function receive(options: Poll, free: number): Promise<Batch[]> {
  const { mapping, client, signal, endpoints, functions, warn } = options;
  const queueUrl = `${endpoints.sqs}/${ACCOUNT}/${mapping.source}`;
  const fifo = mapping.source.endsWith('.fifo');
  const request = new ReceiveMessageCommand({
    QueueUrl: queueUrl,
    MaxNumberOfMessages: Math.min(mapping.batchSize, MAX_PER_RECEIVE, fifo ? free : MAX_PER_RECEIVE),
    WaitTimeSeconds: LONG_POLL_SECONDS,
    MessageSystemAttributeNames: ['All'],
  });
  try {
    const { Messages: messages = [] } = await client.send(request, { abortSignal: signal });
    // Groups are independent of each other: one that fails or is slow must not hold up another.
    const groups = groupBy(messages, (message) => (fifo ? message.Attributes?.MessageGroupId : ''));
    return [...groups.values()].map((group) => ({
      messages: group,
      mapping,
      queueUrl,
      client,
      signal,
      functions,
      warn,
    }));
  } catch (error) {
    if (signal.aborted) return [];
    warn(`Queue ${mapping.source} could not be read: ${error instanceof Error ? error.message : error}`);
    await sleep(RETRY_AFTER_MS, undefined, { signal }).catch(() => {});
    return [];
  }
}

/** Messages of one queue, and for a FIFO queue of one message group, for one invocation. */
interface Batch {
  readonly messages: readonly Message[];
  readonly mapping: Mapping;
  readonly queueUrl: string;
  readonly client: SQSClient;
  readonly signal: AbortSignal;
  readonly functions: Invoker;
  readonly warn: Warn;
}

/**
 * Invokes the function with the batch and deletes the messages that succeeded. Never rejects: failed messages stay in
 * the queue.
 */
async function deliver(batch: Batch): Promise<void> {
  const { mapping, messages, functions, signal, warn } = batch;
  try {
    const response = await functions.invoke(mapping.functionName, eventOf(batch));
    const ids = messages.map((message) => message.MessageId ?? '');
    const failed = mapping.reportsFailures ? failedIds(response, ids) : new Set<string>();
    if (!signal.aborted) await remove(batch, (message) => !failed.has(message.MessageId ?? ''));
  } catch (error) {
    if (signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    warn(`${mapping.functionName} failed; its messages are received again after their visibility timeout: ${reason}`);
  }
}

async function remove({ messages, queueUrl, client }: Batch, finished: (message: Message) => boolean): Promise<void> {
  const Entries = messages
    .filter(finished)
    .map((message, index) => ({ Id: `${index}`, ReceiptHandle: message.ReceiptHandle }));
  if (Entries.length > 0) await client.send(new DeleteMessageBatchCommand({ QueueUrl: queueUrl, Entries }));
}

/** https://docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
function eventOf({ messages, mapping }: Batch): object {
  return {
    Records: messages.map((message) => ({
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes ?? {},
      // No function of the template sends any.
      messageAttributes: {},
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: mapping.sourceArn,
      awsRegion: REGION,
    })),
  };
}
