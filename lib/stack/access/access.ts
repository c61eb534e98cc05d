import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/**
 * What a function may do with a part of the service, and the environment variables by which it finds that part. A
 * function without the access has neither.
 *
 * Actions are listed by hand, because CDK's `grant…` methods allow more than is used.
 */
export interface Access {
  readonly environment?: Readonly<Record<string, string>>;
  readonly statements?: readonly PolicyStatement[];
}

export function all(...accesses: readonly Access[]): Required<Access> {
  return {
    environment: Object.assign({}, ...accesses.map((access) => access.environment)),
    statements: accesses.flatMap((access) => access.statements ?? []),
  };
}

export function allow(actions: string[], ...resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}

/** The key seals tokens of repository hosts too, which these functions must not read. */
export function ofVariables(statement: PolicyStatement): PolicyStatement {
  statement.addCondition('StringEquals', { 'kms:EncryptionContext:purpose': 'app-variables' });
  return statement;
}
