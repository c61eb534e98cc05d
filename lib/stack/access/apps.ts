import { Stack } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { AppsPlatform } from '../apps/apps-platform.ts';
import type { Parameters } from '../parameters.ts';
import { type Access, all, allow, ofVariables } from './access.ts';

/** The platform, and the key that seals the variables of applications. */
export interface AppsAccess {
  readonly parameters: Parameters;
  readonly apps: AppsPlatform;
  readonly sealingKey: Key;
}

/** Stores the tarballs of snapshots, and gives previews variables of the applications that they preview. */
export function storeSnapshots(access: AppsAccess): Access {
  const { bucket } = access.apps;
  const write = allow(['s3:PutObject', 's3:AbortMultipartUpload'], bucket.arnForObjects('snapshots/*'));
  const seal = ofVariables(allow(['kms:Encrypt', 'kms:Decrypt'], access.sealingKey.keyArn));
  return appsAccess(access, ['GetItem', 'UpdateItem'], [write, seal]);
}

/** Builds snapshots. What a build may read and write, this function may sign addresses for. */
export function buildSnapshots(access: AppsAccess): Access {
  const { bucket, build } = access.apps;
  const objects = (...prefixes: string[]) => prefixes.map((prefix) => bucket.arnForObjects(`${prefix}/*`));
  const statements = [
    allow(
      PROJECT_ACTIONS.map((action) => `codebuild:${action}`),
      access.apps.projectArn,
    ),
    allow(['codebuild:BatchGetProjects'], build.project.projectArn),
    passRole(build.role.roleArn, 'codebuild.amazonaws.com'),
    allow(['s3:GetObject'], ...objects('snapshots', 'jobs', 'caches')),
    allow(['s3:PutObject'], ...objects('jobs', 'releases', 'caches')),
    allow(['s3:AbortMultipartUpload'], ...objects('releases')),
    allow(['s3:DeleteObject'], ...objects('snapshots', 'jobs')),
    allow(['logs:GetLogEvents'], `${build.logGroup.logGroupArn}`),
  ];
  return appsAccess(access, ['GetItem', 'UpdateItem'], statements);
}

/** Ends builds, and keeps what they have printed. */
export function endBuilds(access: AppsAccess): Access {
  const { bucket, build } = access.apps;
  const objects = ['snapshots', 'jobs'].map((prefix) => bucket.arnForObjects(`${prefix}/*`));
  const statements = [
    allow(['codebuild:StopBuild', 'codebuild:BatchGetBuilds'], access.apps.projectArn),
    allow(['s3:DeleteObject'], ...objects),
    allow(['logs:GetLogEvents'], build.logGroup.logGroupArn),
  ];
  return appsAccess(access, ['GetItem', 'UpdateItem'], statements);
}

/**
 * Runs applications: their functions, their logs, and what is to be removed of them; `watcher` is told of their ends.
 */
export function runApps(access: AppsAccess, watcher: { readonly functionArn: string }): Access {
  return all(startApps(access), { environment: { PLATFORM_WATCHER: watcher.functionArn } });
}

/** Asks applications whether they answer, and notes those that do not, until they do; begins what their cron runs. */
export function lookAfterApps(access: AppsAccess): Access {
  const { functionArn, logGroupArn } = access.apps;
  return appsAccess(
    access,
    ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
    [
      allow(['lambda:InvokeFunction'], functionArn),
      ...signRuns(access),
      allow(['logs:FilterLogEvents', 'logs:PutLogEvents', 'logs:DescribeLogStreams'], logGroupArn),
      allow(['logs:PutSubscriptionFilter', 'logs:DeleteSubscriptionFilter'], logGroupArn),
      ofVariables(allow(['kms:Decrypt'], access.sealingKey.keyArn)),
    ],
  );
}

function startApps(access: AppsAccess): Access {
  const { apps, sealingKey } = access;
  const { bucket } = apps;
  return appsAccess(
    access,
    ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'],
    [
      allow(
        LAMBDA_ACTIONS.map((action) => `lambda:${action}`),
        apps.functionArn,
      ),
      allow(['lambda:GetLayerVersion'], apps.adapterLayer),
      passRole(apps.appRole.roleArn, 'lambda.amazonaws.com'),
      allow(['codebuild:DeleteProject'], apps.projectArn),
      allow(['s3:GetObject'], bucket.arnForObjects('releases/*')),
      allow(['s3:DeleteObject'], bucket.arnForObjects('*')),
      allow(
        LOG_ACTIONS.map((action) => `logs:${action}`),
        apps.logGroupArn,
      ),
      ofVariables(allow(['kms:Decrypt'], sealingKey.keyArn)),
    ],
  );
}

/**
 * Runs commands of applications, in the functions beside theirs, which it makes when they are first needed. What a command
 * may write, this function may sign an address for.
 */
export function runCommands(access: AppsAccess): Access {
  const { apps, sealingKey } = access;
  const statements = [
    allow(
      JOB_ACTIONS.map((action) => `lambda:${action}`),
      apps.jobFunctionArn,
    ),
    passRole(apps.appRole.roleArn, 'lambda.amazonaws.com'),
    allow(['s3:GetObject'], apps.bucket.arnForObjects('releases/*')),
    ...signRuns(access),
    ofVariables(allow(['kms:Decrypt'], sealingKey.keyArn)),
  ];
  return appsAccess(access, ['GetItem', 'Query', 'UpdateItem', 'DeleteItem'], statements);
}

function signRuns({ apps }: AppsAccess): PolicyStatement[] {
  return [allow(['s3:GetObject', 's3:PutObject'], apps.bucket.arnForObjects('runs/*'))];
}

/** Finds an application. */
export function findApp({ apps }: AppsAccess): Access {
  return tableAccess(apps, ['GetItem']);
}

/** Finds applications, and their snapshots. */
export function findApps({ apps }: AppsAccess): Access {
  return tableAccess(apps, ['GetItem', 'Query']);
}

/** Finds an application, and reads and changes its variables. */
export function configureApps(access: AppsAccess): Access {
  const seal = ofVariables(allow(['kms:Encrypt', 'kms:Decrypt'], access.sealingKey.keyArn));
  return appsAccess(access, ['GetItem', 'Query', 'UpdateItem'], [seal]);
}

/** Reads what applications and their commands print. */
export function readAppLogs(access: AppsAccess): Access {
  const { logGroupArn, bucket } = access.apps;
  const statements = [
    allow(['logs:FilterLogEvents'], logGroupArn),
    allow(['s3:GetObject'], bucket.arnForObjects('runs/*')),
  ];
  return appsAccess(access, ['GetItem', 'UpdateItem', 'DeleteItem'], statements);
}

export function readBuildLogs(access: AppsAccess): Access {
  const { projectArn, build } = access.apps;
  return appsAccess(
    access,
    ['GetItem'],
    [allow(['codebuild:BatchGetBuilds'], projectArn), allow(['logs:GetLogEvents'], build.logGroup.logGroupArn)],
  );
}

const PROJECT_ACTIONS = [
  ...['CreateProject', 'UpdateProject', 'BatchGetProjects', 'StartBuild', 'StopBuild', 'BatchGetBuilds'],
];
const LAMBDA_ACTIONS = [
  ...['CreateFunction', 'GetFunction', 'UpdateFunctionConfiguration', 'UpdateFunctionCode', 'TagResource'],
  ...['PublishVersion', 'ListVersionsByFunction', 'InvokeFunction', 'DeleteFunction'],
  ...['CreateAlias', 'UpdateAlias', 'AddPermission', 'CreateFunctionUrlConfig', 'GetFunctionUrlConfig'],
  ...['PutFunctionConcurrency', 'DeleteFunctionConcurrency', 'PutFunctionEventInvokeConfig'],
];
const JOB_ACTIONS = [
  ...['CreateFunction', 'GetFunction', 'UpdateFunctionConfiguration', 'UpdateFunctionCode', 'TagResource'],
  ...['PutFunctionEventInvokeConfig', 'InvokeFunction', 'DeleteFunction'],
];
const LOG_ACTIONS = [
  ...['CreateLogGroup', 'TagResource', 'PutRetentionPolicy', 'PutSubscriptionFilter', 'DeleteLogGroup'],
  ...['CreateLogStream', 'PutLogEvents', 'FilterLogEvents'],
];

/** Every function that works with applications finds all their parts, and may do with them what the statements say. */
function appsAccess(access: AppsAccess, tableActions: readonly string[], statements: PolicyStatement[]): Access {
  const { parameters, apps, sealingKey } = access;
  const parts = {
    bucket: apps.bucket.bucketName,
    project: apps.build.project.projectName,
    functionPrefix: apps.functionPrefix,
    appRole: apps.appRole.roleArn,
    adapterLayer: apps.adapterLayer,
    architecture: apps.architecture,
    sealingKey: sealingKey.keyArn,
    appTimeoutSeconds: parameters.appTimeoutSeconds.valueAsString,
    appConcurrency: parameters.appConcurrency.valueAsString,
  };
  // One variable, because all variables of a function have 4 KB.
  const environment = { PLATFORM_PARTS: Stack.of(apps).toJsonString(parts) };
  return all(tableAccess(apps, tableActions), { environment, statements });
}

/** Works with the table of applications and snapshots. */
function tableAccess({ table }: AppsPlatform, actions: readonly string[]): Access {
  const named = actions.map((action) => `dynamodb:${action}`);
  return { environment: { PLATFORM_TABLE: table.tableName }, statements: [allow(named, table.tableArn)] };
}

/** The only roles that a function may give away, and only to one service. */
function passRole(roleArn: string, service: string): PolicyStatement {
  return new PolicyStatement({
    actions: ['iam:PassRole'],
    resources: [roleArn],
    conditions: { StringEquals: { 'iam:PassedToService': service } },
  });
}
