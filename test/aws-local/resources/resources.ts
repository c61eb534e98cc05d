import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { clientFor } from '../clients.ts';
import type { Endpoints } from '../emulators/endpoints.ts';
import { physicalName } from '../template/physical-ids.ts';
import type { Resource, Template } from '../template/template.ts';
import { createQueue } from './queue.ts';
import { createSecret } from './secret.ts';
import { createTable } from './table.ts';

/** Creates a resource of one type. */
type Creator = (name: string, properties: Resource['properties'], endpoints: Endpoints) => Promise<void>;

const CREATORS: Readonly<Record<string, Creator>> = {
  'AWS::DynamoDB::Table': createTable,
  'AWS::DynamoDB::GlobalTable': createTable,
  'AWS::SQS::Queue': createQueue,
  'AWS::S3::Bucket': createBucket,
  'AWS::SecretsManager::Secret': createSecret,
};

/** Creates the tables, queues, buckets and secrets that the template declares. */
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
