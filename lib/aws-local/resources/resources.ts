import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/emulators.ts';
import { physicalName } from '../template/physical-ids.ts';
import type { Resource } from '../template/resource.ts';
import type { Template } from '../template/template.ts';
import { createQueue } from './queue.ts';
import { createSecret } from './secret.ts';
import { createTable } from './table.ts';

/** A kind of resource and what makes it: at every start, so each must leave what already exists as it is. */
type Creator = (name: string, properties: Resource['properties'], endpoints: Endpoints) => Promise<void>;

const CREATORS: Readonly<Record<string, Creator>> = {
  'AWS::DynamoDB::Table': createTable,
  'AWS::DynamoDB::GlobalTable': createTable,
  'AWS::SQS::Queue': createQueue,
  'AWS::S3::Bucket': createBucket,
  'AWS::SecretsManager::Secret': createSecret,
};

/**
 * Creates the tables, queues, buckets and secrets that the template declares. A second call finds them and changes
 * nothing but what the template has added since: indexes, streams, time to live, queue attributes.
 */
export async function createResources(options: { template: Template; endpoints: Endpoints }): Promise<void> {
  const { template, endpoints } = options;
  const creating = Object.entries(CREATORS).flatMap(([type, create]) =>
    template.ofType(type).map((resource) => create(nameOfResource(resource), resource.properties, endpoints)),
  );
  await Promise.all(creating);
}

/** The name under which the emulators know a resource of the template. */
export function nameOfResource(resource: Resource): string {
  const text = (property: string) => {
    const value = resource.properties[property];
    return value === undefined ? undefined : String(value);
  };
  return physicalName({ logicalId: resource.logicalId, type: resource.type, text });
}

/** Creating a bucket that one owns already succeeds and keeps its objects. */
async function createBucket(name: string, _properties: Resource['properties'], endpoints: Endpoints): Promise<void> {
  await new S3Client(clientFor(endpoints.s3)).send(new CreateBucketCommand({ Bucket: name }));
}
