import { ACCOUNT, REGION } from '../clients.ts';

// The names and addresses that CloudFormation would assign.

/** A resource of the template whose properties may still hold intrinsics; `text` resolves one of them to a string. */
export interface Declared {
  readonly logicalId: string;
  readonly type: string;
  text(property: string): string | undefined;
}

/** Addresses of the emulators, which some values contain. */
export interface Endpoints {
  readonly sqsEndpoint: string;
}

type Attribute = (resource: Declared, endpoints: Endpoints) => string;
interface Identity {
  readonly name?: string;
  readonly ref?: Attribute;
  readonly attributes?: Readonly<Record<string, Attribute>>;
}

const arn = (service: string, rest: string): string => `arn:aws:${service}:${REGION}:${ACCOUNT}:${rest}`;

const queueUrl: Attribute = (queue, { sqsEndpoint }) =>
  `${sqsEndpoint.replace(/\/$/, '')}/${ACCOUNT}/${physicalName(queue)}`;
const TABLE_ATTRIBUTES = {
  Arn: (table: Declared) => arn('dynamodb', `table/${physicalName(table)}`),
  StreamArn: (table: Declared) => arn('dynamodb', `table/${physicalName(table)}/stream/local`),
};
const functionArn: Attribute = (fn) => arn('lambda', `function:${physicalName(fn)}`);
const secretArn: Attribute = (secret) => arn('secretsmanager', `secret:${physicalName(secret)}`);

/** Only the types of which `Ref` is not the name, or that have attributes. */
const IDENTITIES: Readonly<Record<string, Identity>> = {
  'AWS::SQS::Queue': {
    name: 'QueueName',
    ref: queueUrl,
    attributes: { Arn: (queue) => arn('sqs', physicalName(queue)), QueueName: physicalName },
  },
  'AWS::DynamoDB::Table': { name: 'TableName', attributes: TABLE_ATTRIBUTES },
  'AWS::DynamoDB::GlobalTable': { name: 'TableName', attributes: TABLE_ATTRIBUTES },
  'AWS::S3::Bucket': {
    name: 'BucketName',
    attributes: { Arn: (bucket) => `arn:aws:s3:::${physicalName(bucket)}` },
  },
  'AWS::KMS::Key': { attributes: { Arn: (key) => arn('kms', `key/${key.logicalId}`) } },
  'AWS::SecretsManager::Secret': { name: 'Name', ref: secretArn },
  'AWS::Lambda::Function': { name: 'FunctionName', attributes: { Arn: functionArn } },
  'AWS::CodeBuild::Project': {
    name: 'Name',
    attributes: { Arn: (project) => arn('codebuild', `project/${physicalName(project)}`) },
  },
  'AWS::IAM::Role': {
    name: 'RoleName',
    attributes: { Arn: (role) => `arn:aws:iam::${ACCOUNT}:role/${physicalName(role)}` },
  },
  'AWS::Logs::LogGroup': {
    name: 'LogGroupName',
    attributes: { Arn: (group) => `${arn('logs', `log-group:${physicalName(group)}`)}:*` },
  },
  'AWS::SNS::Topic': { name: 'TopicName', ref: (topic) => arn('sns', physicalName(topic)) },
  'AWS::Events::Rule': { name: 'Name', attributes: { Arn: (rule) => arn('events', `rule/${physicalName(rule)}`) } },
  'AWS::ApiGateway::Stage': { ref: (stage) => stage.text('StageName') ?? stage.logicalId },
  'AWS::ApiGatewayV2::Stage': { ref: (stage) => stage.text('StageName') ?? stage.logicalId },
};

/**
 * Returns the name of a resource: the template's, else its logical id (lower-case for buckets,
 * which S3 requires; with `.fifo` for FIFO queues, which SQS requires).
 */
export function physicalName(resource: Declared): string {
  const property = IDENTITIES[resource.type]?.name;
  const explicit = property === undefined ? undefined : resource.text(property);
  if (explicit !== undefined) return explicit;
  if (resource.type === 'AWS::S3::Bucket') return resource.logicalId.toLowerCase();
  if (resource.type === 'AWS::SQS::Queue' && resource.text('FifoQueue') === 'true') return `${resource.logicalId}.fifo`;
  return resource.logicalId;
}

/** Returns the value of `Ref` for a resource. */
export function reference(resource: Declared, endpoints: Endpoints): string {
  return IDENTITIES[resource.type]?.ref?.(resource, endpoints) ?? physicalName(resource);
}

/** Returns the value of `Fn::GetAtt` for a resource, or undefined when it is unknown. */
export function attribute(resource: Declared, name: string, endpoints: Endpoints): string | undefined {
  return IDENTITIES[resource.type]?.attributes?.[name]?.(resource, endpoints);
}
