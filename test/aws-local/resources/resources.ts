import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/emulators.ts';
import { physicalName } from '../template/physical-ids.ts';
import type { Resource, Template } from '../template/template.ts';
import { createTable } from './table.ts';

/** Creates a resource of one type. */
type Creator = (name: string, properties: Resource['properties'], endpoints: Endpoints) => Promise<void>;

const CREATORS: Readonly<Record<string, Creator>> = {
  'AWS::DynamoDB::Table': createTable,
  'AWS::DynamoDB::GlobalTable': createTable,
  'AWS::SQS::Queue': createQueue,
  'AWS::S3::Bucket': createBucket,
};

/** Creates the tables, queues and buckets that the template declares. */
export async function createResources(options: { template: Template; endpoints: Endpoints }): Promise<void> {
  const { template, endpoints } = options;
  const creating = Object.entries(CREATORS).flatMap(([type, create]) =>
    template.ofType(type).map((resource) => create(nameOfResource(resource), resource.properties, endpoints)),
  );
  await Promise.all(creating);
}

/** Returns the name of a resource in the emulators. */
export function nameOfResource(resource: Resource): string {
  const text = (property: string) => {
    const value = resource.properties[property];
    return value === undefined ? undefined : String(value);
  };
  return physicalName({ logicalId: resource.logicalId, type: resource.type, text });
}

async function createBucket(name: string, _properties: Resource['properties'], endpoints: Endpoints): Promise<void> {
  await new S3Client(clientFor(endpoints.s3)).send(new CreateBucketCommand({ Bucket: name }));
}

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
async function createQueue(name: string, properties: Resource['properties'], endpoints: Endpoints): Promise<void> {
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
