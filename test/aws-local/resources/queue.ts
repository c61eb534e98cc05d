import { CreateQueueCommand, GetQueueUrlCommand, SetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
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

/** Creates a queue of the template with its redrive policy; an existing one gets the template's attributes. */
export async function createQueue(
  name: string,
  properties: Resource['properties'],
  endpoints: Endpoints,
): Promise<void> {
  const client = new SQSClient(clientFor(endpoints.sqs));
  const Attributes = attributesOf(properties);
  try {
    await client.send(new CreateQueueCommand({ QueueName: name, Attributes }));
  } catch (error) {
    if (!exists(error)) throw error;
    const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName: name }));
    await client.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
  } finally {
    client.destroy();
  }
}

/** The emulator uses the error name of the older query protocol: `AWS.SimpleQueueService.QueueNameExists`. */
function exists(error: unknown): boolean {
  return error instanceof Error && error.name.endsWith('QueueNameExists');
}

function attributesOf(properties: Resource['properties']): Record<string, string> {
  const given = ATTRIBUTE_NAMES.filter((name) => properties[name] !== undefined);
  return Object.fromEntries(given.map((name) => [name, textOf(properties[name])]));
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
