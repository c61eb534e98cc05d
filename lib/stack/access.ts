import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import type { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Parameters } from './parameters.ts';
import type { WorkQueue } from './queues.ts';
import type { Socket } from './socket.ts';

/**
 * What a function may do with a part of the service, together with the variables by which it finds that part: a function
 * that is not given an access can neither reach the part nor know where it is.
 *
 * Actions are listed by hand, because the `grant…` methods of CDK give more than is used.
 */
export interface Access {
  readonly environment?: Readonly<Record<string, string>>;
  readonly statements?: readonly PolicyStatement[];
}

/** Reading entries, one by one and in pages. */
export function readLog(log: TableV2): Access {
  return {
    environment: { LOG_TABLE: log.tableName },
    statements: [
      allow(['dynamodb:GetItem', 'dynamodb:Query'], log.tableArn),
      allow(['dynamodb:Query'], `${log.tableArn}/index/byApp`),
    ],
  };
}

/** Reading how far a user's log is. */
export function readCounters(log: TableV2): Access {
  return { environment: { LOG_TABLE: log.tableName }, statements: [allow(['dynamodb:GetItem'], log.tableArn)] };
}

/** Being told that the log has changed, which Lambda's poller does in the function's name. */
export function readLogStream(log: TableV2): Access {
  if (!log.tableStreamArn) throw new Error('The table of the log has no stream.');
  const actions = ['DescribeStream', 'GetRecords', 'GetShardIterator', 'ListStreams'];
  return {
    statements: [
      allow(
        actions.map((action) => `dynamodb:${action}`),
        log.tableStreamArn,
      ),
    ],
  };
}

/** Reading and moving the log on. Transactions need the actions that they are made of. */
export function writeLog(log: TableV2): Access {
  const writes = ['PutItem', 'UpdateItem', 'DeleteItem', 'ConditionCheckItem'].map((action) => `dynamodb:${action}`);
  return all(readLog(log), { statements: [allow(writes, log.tableArn)] });
}

/** Finding what is due: holds that expire, deploys that got stuck. */
export function findDue(log: TableV2): Access {
  return { statements: [allow(['dynamodb:Query'], `${log.tableArn}/index/byDue`)] };
}

/** Writing tarballs, in parts; a refused one is aborted. */
export function writeTarballs(tarballs: Bucket): Access {
  return tarballAccess(tarballs, ['s3:PutObject', 's3:AbortMultipartUpload']);
}

/** Reading tarballs. Without ListBucket a missing object answers 403, and nobody could tell that it has expired. */
export function readTarballs(tarballs: Bucket): Access {
  return all(tarballAccess(tarballs, ['s3:GetObject']), { statements: [allow(['s3:ListBucket'], tarballs.bucketArn)] });
}

/** Removing tarballs that are no longer needed. */
export function removeTarballs(tarballs: Bucket): Access {
  return tarballAccess(tarballs, ['s3:DeleteObject']);
}

/** Sending to a queue. */
export function sendTo({ name, queue }: WorkQueue): Access {
  return {
    environment: { [queueVariable(name)]: queue.queueUrl },
    statements: [allow(['sqs:SendMessage'], queue.queueArn)],
  };
}

/** Working off a queue: what Lambda's poller does in the function's name, and putting a message back for later. */
export function consume({ name, queue }: WorkQueue): Access {
  const actions = ['ReceiveMessage', 'DeleteMessage', 'ChangeMessageVisibility', 'GetQueueAttributes'];
  return {
    environment: { [queueVariable(name)]: queue.queueUrl },
    statements: [
      allow(
        actions.map((action) => `sqs:${action}`),
        queue.queueArn,
      ),
    ],
  };
}

/**
 * Keeping what users pair with: their sealed tokens, in the table of the log. It seals, and can open none, not even its
 * own.
 */
export function keepTokens(log: TableV2, tokenKey: Key): Access {
  const actions = ['Query', 'PutItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
  return {
    environment: { LOG_TABLE: log.tableName, TOKEN_KEY: tokenKey.keyArn },
    statements: [allow(actions, log.tableArn), ofRepoTokens(allow(['kms:Encrypt'], tokenKey.keyArn))],
  };
}

/** Calling repository hosts, with the tokens that users stored for them. */
export function callHosts(parameters: Parameters, tokenKey: Key): Access {
  const open = ofRepoTokens(allow(['kms:Decrypt'], tokenKey.keyArn));
  return all(knowHosts(parameters), { environment: { TOKEN_KEY: tokenKey.keyArn }, statements: [open] });
}

/** Knowing the repository hosts, without a token for any of them. */
export function knowHosts({ repositoryHosts }: Parameters): Access {
  return { environment: { REPOSITORY_HOSTS: repositoryHosts.valueAsString } };
}

/** Calling the platform in the service's own name. */
export function callPlatform(parameters: Parameters, token: Secret): Access {
  return all(knowPlatform(parameters), {
    environment: { PLATFORM_SECRET: token.secretArn },
    statements: [allow(['secretsmanager:GetSecretValue'], token.secretArn)],
  });
}

/** Reading the secrets that webhooks are signed with. */
export function readHookSecrets(secrets: Secret): Access {
  return {
    environment: { HOOK_SECRETS: secrets.secretArn },
    statements: [allow(['secretsmanager:GetSecretValue'], secrets.secretArn)],
  };
}

/** Knowing the platform, to log in there with a caller's own credentials. */
export function knowPlatform({ platformUrl }: Parameters): Access {
  return { environment: { PLATFORM_URL: platformUrl.valueAsString } };
}

/** Knowing the branch that is deployed when the hook names none. */
export function chooseBranch({ defaultBranch }: Parameters): Access {
  return { environment: { DEFAULT_BRANCH: defaultBranch.valueAsString } };
}

/** Holding deploys back, and knowing when a hold is over. */
export function hold({ holdMinutes }: Parameters): Access {
  return { environment: { HOLD_MINUTES: holdMinutes.valueAsString } };
}

/** Writing links to entries, and to the explanations of errors. */
export function linkEntries({ publicUrl }: Parameters): Access {
  return { environment: { PUBLIC_URL: publicUrl.valueAsString } };
}

/** Trying again later. */
export function tryAgain({ retryBaseSeconds }: Parameters): Access {
  return { environment: { RETRY_BASE_SECONDS: retryBaseSeconds.valueAsString } };
}

/** Ending streams before the function is ended. */
export function endStreams({ changesSeconds }: Parameters): Access {
  return { environment: { CHANGES_SECONDS: changesSeconds.valueAsString } };
}

/** Opening the socket that signals come through. What is sent through it afterwards needs no permission. */
export function hearSignals(inside: Socket): Access {
  return {
    environment: { SIGNALS_URL: inside.stage.url },
    statements: [allow(['execute-api:Invoke'], inside.api.arnForExecuteApiV2('$connect', inside.stage.stageName))],
  };
}

/** Keeping the book of open connections, of both sockets. */
export function keepConnections(connections: TableV2, inside: Socket): Access {
  const actions = ['GetItem', 'PutItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
  return {
    environment: { CONNECTIONS_TABLE: connections.tableName, INSIDE_API: inside.api.apiId },
    statements: [allow(actions, connections.tableArn)],
  };
}

/** Posting to the open connections, and forgetting those that are gone. */
export function postSignals(connections: TableV2, sockets: Readonly<Record<'inside' | 'outside', Socket>>): Access {
  const { inside, outside } = sockets;
  return {
    environment: {
      CONNECTIONS_TABLE: connections.tableName,
      INSIDE_POST: inside.stage.callbackUrl,
      OUTSIDE_POST: outside.stage.callbackUrl,
    },
    statements: [
      allow(['dynamodb:Query', 'dynamodb:DeleteItem'], connections.tableArn),
      ...[inside, outside].map(({ api, stage }) =>
        allow(['execute-api:ManageConnections'], api.arnForExecuteApiV2('POST/@connections/*', stage.stageName)),
      ),
    ],
  };
}

/** Telling of records that could not be worked off. */
export function reportFailures(failures: Queue): Access {
  return { statements: [allow(['sqs:SendMessage'], failures.queueArn)] };
}

/** Several accesses as one. */
export function all(...accesses: readonly Access[]): Required<Access> {
  return {
    environment: Object.assign({}, ...accesses.map((access) => access.environment)),
    statements: accesses.flatMap((access) => access.statements ?? []),
  };
}

/** For repository tokens only, whatever else the key may seal one day. */
function ofRepoTokens(statement: PolicyStatement): PolicyStatement {
  statement.addCondition('StringEquals', { 'kms:EncryptionContext:purpose': 'repo-token' });
  return statement;
}

function tarballAccess(tarballs: Bucket, actions: string[]): Access {
  return {
    environment: { TARBALL_BUCKET: tarballs.bucketName },
    statements: [allow(actions, tarballs.arnForObjects('*'))],
  };
}

function queueVariable(name: WorkQueue['name']): string {
  return `QUEUE_${name.toUpperCase()}`;
}

function allow(actions: string[], resource: string): PolicyStatement {
  return new PolicyStatement({ actions, resources: [resource] });
}
