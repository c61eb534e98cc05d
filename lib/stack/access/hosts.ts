import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { Parameters } from '../parameters.ts';
import { type Access, all, allow } from './access.ts';

/** Stores the encrypted tokens of users in the table of the log. It can encrypt tokens and decrypt none. */
export function storeTokens(log: TableV2, tokenKey: Key): Access {
  const actions = ['Query', 'PutItem', 'DeleteItem'].map((action) => `dynamodb:${action}`);
  return {
    environment: { LOG_TABLE: log.tableName, TOKEN_KEY: tokenKey.keyArn },
    statements: [allow(actions, log.tableArn), ofRepoTokens(allow(['kms:Encrypt'], tokenKey.keyArn))],
  };
}

/** Calls repository hosts, with the tokens that users stored for them. */
export function callHosts(parameters: Parameters, tokenKey: Key): Access {
  const open = ofRepoTokens(allow(['kms:Decrypt'], tokenKey.keyArn));
  return all(knowHosts(parameters), { environment: { TOKEN_KEY: tokenKey.keyArn }, statements: [open] });
}

/** Knows the repository hosts, without a token for any of them. */
export function knowHosts({ repositoryHosts }: Parameters): Access {
  return { environment: { REPOSITORY_HOSTS: repositoryHosts.valueAsString } };
}

/** Limits a statement to repository tokens, in case the key is used for more one day. */
function ofRepoTokens(statement: PolicyStatement): PolicyStatement {
  statement.addCondition('StringEquals', { 'kms:EncryptionContext:purpose': 'repo-token' });
  return statement;
}
