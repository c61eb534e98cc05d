import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/endpoints.ts';
import type { Resource } from '../template/template.ts';

/** The properties that determine a queue's behaviour; the SQS attributes have the same names. */
const ATTRIBUTE_NAMES = [
  'ContentBasedDeduplication',
  'DeduplicationScope',
  'DelaySeconds',
  'FifoQueue',
  'FifoThroughputLimit',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
] as const;

/** Creates a queue of the template with its redrive policy. */
export async function createQueue(
  name: string,
  properties: Resource['properties'],
  endpoints: Endpoints,
): Promise<void> {
  const client = new SQSClient(clientFor(endpoints.sqs));
  await client.send(new CreateQueueCommand({ QueueName: name, Attributes: attributesOf(properties) }));
  client.destroy();
}

function attributesOf(properties: Resource['properties']): Record<string, string> {
  const given = ATTRIBUTE_NAMES.filter((name) => properties[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, textOf(properties[name])]));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
