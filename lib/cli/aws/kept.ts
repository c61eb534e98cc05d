import type { StackResource } from './stack.ts';

/** Something that stays in the account when the stack is deleted. */
interface Kept {
  /** The resource, and why it is kept. */
  readonly why: string;
  readonly commands: readonly string[];
}

type Describe = (name: string, logicalId: string) => Kept;

const table: Describe = (name, logicalId) => ({
  why: logicalId.startsWith('Apps')
    ? `table ${name}: applications and their variables, which nothing else has`
    : `table ${name}: the users, the log of all deploys and the sealed tokens of repository hosts, which nothing else has`,
  commands: [
    `aws dynamodb update-table --table-name ${name} --no-deletion-protection-enabled`,
    `aws dynamodb wait table-exists --table-name ${name}`,
    `aws dynamodb delete-table --table-name ${name}`,
  ],
});

const bucket: Describe = (name, logicalId) => ({
  why: logicalId.startsWith('Apps')
    ? `bucket ${name}: releases or tarballs of the applications; CloudFormation deletes no bucket that holds objects`
    : `bucket ${name}: tarballs, deleted after two days; CloudFormation deletes no bucket that holds objects`,
  commands: [`aws s3 rb --force s3://${name}`],
});

const kinds: Readonly<Record<string, Describe | undefined>> = {
  'AWS::DynamoDB::GlobalTable': table,
  'AWS::S3::Bucket': bucket,
  'AWS::KMS::Key': (name) => ({
    why: `key ${name}: without it, tokens and variables in the tables cannot be read; a dollar a month`,
    commands: [`aws kms schedule-key-deletion --key-id ${name} --pending-window-in-days 7`],
  }),
  'AWS::ApiGateway::Account': () => ({
    why: 'the setting of API Gateway with which all APIs of the account and region write logs; others may use it',
    commands: ["aws apigateway update-account --patch-operations op='replace',path='/cloudwatchRoleArn',value=''"],
  }),
  'AWS::IAM::Role': (name) => ({
    why: `role ${name}: API Gateway writes the logs of all APIs of the account and region with it`,
    commands: [
      `aws iam detach-role-policy --role-name ${name} --policy-arn arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs`,
      `aws iam delete-role --role-name ${name}`,
    ],
  }),
};

/** Returns why CloudFormation has left a resource in the account, and the commands that delete it. */
export function keptOf({ type, physicalId, logicalId }: Omit<StackResource, 'status'>): Kept {
  const describe = Object.hasOwn(kinds, type) ? kinds[type] : undefined;
  return describe?.(physicalId, logicalId) ?? { why: `${type} ${physicalId}`, commands: [] };
}
