import { type CfnCondition, Fn } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** Statements of a part that only some stacks have. */
export interface ConditionalStatements {
  readonly condition: CfnCondition;
  readonly statements: readonly PolicyStatement[];
}

/**
 * What a function may do with a part of the service, and the environment variables by which it finds that part. A
 * function without the access has neither.
 *
 * Actions are listed by hand, because CDK's `grant…` methods allow more than is used.
 */
export interface Access {
  readonly environment?: Readonly<Record<string, string>>;
  readonly statements?: readonly PolicyStatement[];
  readonly conditional?: readonly ConditionalStatements[];
}

/** Returns several accesses as one. */
export function all(...accesses: readonly Access[]): Required<Access> {
  return {
    environment: Object.assign({}, ...accesses.map((access) => access.environment)),
    statements: accesses.flatMap((access) => access.statements ?? []),
    conditional: accesses.flatMap((access) => access.conditional ?? []),
  };
}

/** Returns an access that only the stacks have in which the condition holds; elsewhere its variables are empty. */
export function only(condition: CfnCondition, { environment = {}, statements = [] }: Access): Access {
  const values = Object.entries(environment).map(([name, value]) => [
    name,
    Fn.conditionIf(condition.logicalId, value, '').toString(),
  ]);
  return { environment: Object.fromEntries(values), conditional: [{ condition, statements }] };
}

export function allow(actions: string[], ...resources: string[]): PolicyStatement {
  return new PolicyStatement({ actions, resources });
}
