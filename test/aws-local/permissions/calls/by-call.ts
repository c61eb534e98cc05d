import { nameOf } from '../../arn.ts';
import { ACCOUNT, REGION } from '../../clients.ts';
import { keyIdOf } from '../../emulators/kms.ts';
import { isRecord, listOf } from '../../template/intrinsics.ts';
import type { Call } from '../guard.ts';

/** An operation's input by the service's model. */
type Input = Readonly<Record<string, unknown>>;
type CallsOf = (input: Input, operation: string) => Call[];

const LAMBDA: Readonly<Record<string, CallsOf>> = {
  ...Object.fromEntries(
    [
      ...['GetFunction', 'ListVersionsByFunction', 'DeleteFunction'],
      ...['PutFunctionConcurrency', 'DeleteFunctionConcurrency', 'PutFunctionEventInvokeConfig'],
      ...['CreateAlias', 'GetAlias', 'UpdateAlias'],
      ...['CreateFunctionUrlConfig', 'GetFunctionUrlConfig', 'AddPermission'],
    ].map((name) => [name, onFunction]),
  ),
  Invoke: (input) => onFunction(input, 'InvokeFunction'),
  CreateFunction: (input, operation) => [...onFunction(input, operation), ...partsOf(input, input.Code)],
  UpdateFunctionCode: (input, operation) => [...onFunction(input, operation), ...partsOf(input, input)],
  UpdateFunctionConfiguration: (input, operation) => [...onFunction(input, operation), ...partsOf(input)],
};

const CODEBUILD: Readonly<Record<string, CallsOf>> = {
  StartBuild: ({ projectName }, operation) => [onProject(operation, projectName)],
  ListBuildsForProject: ({ projectName }, operation) => [onProject(operation, projectName)],
  StopBuild: ({ id }, operation) => [onProject(operation, projectOf(id))],
  BatchGetProjects: ({ names }, operation) => listOf(names).map((name) => onProject(operation, name)),
  DeleteProject: ({ name }, operation) => [onProject(operation, name)],
  ...Object.fromEntries(
    ['CreateProject', 'UpdateProject'].map((name) => [
      name,
      (input: Input, operation: string) => [
        onProject(operation, input.name),
        ...passed(input.serviceRole, 'codebuild.amazonaws.com'),
      ],
    ]),
  ),
  BatchGetBuilds: ({ ids }, operation) => listOf(ids).map((id) => onProject(operation, projectOf(id))),
};

const LOGS: Readonly<Record<string, CallsOf>> = {
  // With tags it needs the permission to tag as well: https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html
  CreateLogGroup: (input, operation) => [
    ...onLogGroup(input, operation),
    ...(input.tags === undefined ? [] : onLogGroup(input, 'TagResource')),
  ],
  ...Object.fromEntries(
    [
      ...['PutRetentionPolicy', 'DeleteLogGroup', 'CreateLogStream', 'PutLogEvents'],
      ...['PutSubscriptionFilter', 'DeleteSubscriptionFilter', 'GetLogEvents', 'FilterLogEvents', 'DescribeLogStreams'],
    ].map((name) => [name, onLogGroup]),
  ),
};

const KMS: Readonly<Record<string, CallsOf>> = { Encrypt: onKey, Decrypt: onKey };

const SECRETS: Readonly<Record<string, CallsOf>> = {
  GetSecretValue: ({ SecretId }, operation) => [onSecret(operation, SecretId)],
};

const SERVICES: Readonly<Record<string, Readonly<Record<string, CallsOf>>>> = {
  Lambda: LAMBDA,
  CodeBuild: CODEBUILD,
  'CloudWatch Logs': LOGS,
  KMS,
  'Secrets Manager': SECRETS,
};

/**
 * Returns the permissions that an operation of one of these services needs; undefined for one that is not known here.
 *
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_awslambda.html
 */
export function callsOf(service: string, operation: string, input: object): Call[] | undefined {
  const operations = SERVICES[service] ?? {};
  return Object.hasOwn(operations, operation) ? operations[operation]?.({ ...input }, operation) : undefined;
}

function onFunction({ FunctionName, Qualifier, Tags }: Input, operation: string): Call[] {
  const [name = ''] = nameOf(String(FunctionName)).split(':');
  const version = typeof Qualifier === 'string' ? `:${Qualifier}` : '';
  const resource = `arn:aws:lambda:${REGION}:${ACCOUNT}:function:${name}`;
  return [
    { action: `lambda:${operation}`, resource: `${resource}${version}` },
    ...(Tags === undefined ? [] : [{ action: 'lambda:TagResource', resource }]),
  ];
}

/** A caller that gives a function a role, code or layers needs permissions for them as well. */
function partsOf({ Role, Layers }: Input, code?: unknown): Call[] {
  const artifact = isRecord(code) && code.S3Bucket !== undefined ? `${code.S3Bucket}/${code.S3Key}` : undefined;
  return [
    ...passed(Role, 'lambda.amazonaws.com'),
    ...(artifact === undefined ? [] : [{ action: 's3:GetObject', resource: `arn:aws:s3:::${artifact}` }]),
    ...listOf(Layers).map((layer) => ({ action: 'lambda:GetLayerVersion', resource: String(layer) })),
  ];
}

function passed(role: unknown, service: string): Call[] {
  const context = { 'iam:PassedToService': service };
  return role === undefined ? [] : [{ action: 'iam:PassRole', resource: String(role), context }];
}

function onProject(operation: string, project: unknown): Call {
  const name = String(project).replace(/^arn:.*:project\//, '');
  return {
    action: `codebuild:${operation}`,
    resource: `arn:aws:codebuild:${REGION}:${ACCOUNT}:project/${name}`,
  };
}

/** The project in `<project>:<build>`, with or without the ARN before it. */
function projectOf(build: unknown): string {
  return String(build)
    .replace(/^arn:.*:build\//, '')
    .replace(/:[^:]*$/, '');
}

/**
 * Policies name groups with `:*` at the end for all operations but those of tags:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/iam-access-control-overview-cwl.html
 */
function onLogGroup({ logGroupName, logStreamName = '' }: Input, operation: string): Call[] {
  const group = `arn:aws:logs:${REGION}:${ACCOUNT}:log-group:${logGroupName}`;
  return [{ action: `logs:${operation}`, resource: `${group}:log-stream:${logStreamName}` }];
}

/** A ciphertext knows its key, so that the request need not name it. */
function onKey({ KeyId, CiphertextBlob, EncryptionContext: pairs }: Input, operation: string): Call[] {
  const id = keyIdOf(CiphertextBlob) ?? nameOf(String(KeyId));
  const context = Object.entries(isRecord(pairs) ? pairs : {});
  return [
    {
      action: `kms:${operation}`,
      resource: `arn:aws:kms:${REGION}:${ACCOUNT}:key/${id}`,
      context: Object.fromEntries(context.map(([name, value]) => [`kms:EncryptionContext:${name}`, String(value)])),
    },
  ];
}

function onSecret(operation: string, nameOrArn: unknown): Call {
  const resource = `arn:aws:secretsmanager:${REGION}:${ACCOUNT}:secret:${nameOf(String(nameOrArn))}`;
  return { action: `secretsmanager:${operation}`, resource };
}
