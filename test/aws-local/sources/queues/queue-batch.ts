import { DeleteMessageBatchCommand, type Message, type SQSClient } from '@aws-sdk/client-sqs';
import { REGION } from '../../clients.ts';
import type { Invoker, Warn } from '../../invoke/invoker.ts';
import { failedIds, type Mapping } from '../event-source-mapping.ts';

/** Messages of one queue, and for a FIFO queue of one message group, for one invocation. */
export interface Batch {
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
export async function deliver(batch: Batch): Promise<void> {
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
      messageAttributes: attributesOf(message),
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: mapping.sourceArn,
      awsRegion: REGION,
    })),
  };
}

function attributesOf({ MessageAttributes = {} }: Message): object {
  const entries = Object.entries(MessageAttributes).map(([name, { DataType, StringValue, BinaryValue }]) => [
    name,
    {
      dataType: DataType,
      ...(StringValue !== undefined && { stringValue: StringValue }),
      ...(BinaryValue !== undefined && { binaryValue: Buffer.from(BinaryValue).toString('base64') }),
      stringListValues: [],
      binaryListValues: [],
    },
  ]);
  return Object.fromEntries(entries);
}
