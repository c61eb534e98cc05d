import { OperatorError } from '../../../lib/files/errors.ts';
import { ACCOUNT } from '../clients.ts';
import { isRecord } from '../template/intrinsics.ts';
import type { Condition, ConditionOperator, Statement } from './guard.ts';

/** A statement of a resource's policy, with the principals that it names. */
export interface ResourceStatement extends Statement {
  /** `*` or the account. */
  readonly principals: readonly string[];
}

/** The account as a principal: the policies of its roles decide. */
export const ACCOUNT_ROOT = `arn:aws:iam::${ACCOUNT}:root`;
const OPERATORS: ReadonlySet<string> = new Set<ConditionOperator>(['StringEquals', 'StringLike', 'Bool', 'Null']);
/** Keys of which the guard knows the value in each request, tags only where a function writes its log. */
const KEYS =
  /^(?:aws:SecureTransport|iam:PassedToService|lambda:SourceFunctionArn|kms:EncryptionContext:.+|aws:ResourceTag\/.+)$/;
/** A variable that the value of a condition may have. */
const VARIABLES = /\$\{aws:ResourceTag\/[^}]+\}/g;

/**
 * Returns the statements of a role's policy.
 *
 * @param where names the policy in errors
 * @throws OperatorError for a form of statement that is not understood here: it must not be allowed silently
 */
export function identityStatements(document: unknown, where: string): Statement[] {
  return statementsOf(document, where).map((statement) => readStatement(statement, where));
}

/**
 * Returns the statements of a resource's policy. What services may do is left out: none of them sends requests here.
 */
export function resourceStatements(document: unknown, where: string): ResourceStatement[] {
  return statementsOf(document, where)
    .map(({ Principal, ...statement }) => ({ principals: principalsOf(Principal, where), statement }))
    .filter(({ principals }) => !principals.every((principal) => principal.startsWith('service:')))
    .map(({ principals, statement }) => {
      const other = principals.find((principal) => principal !== '*' && principal !== ACCOUNT_ROOT);
      if (other !== undefined) throw unknownForm(where, `the principal ${other}`);
      return { principals, ...readStatement(statement, where) };
    });
}

/**
 * Returns the services that may assume a role for this account.
 *
 * @param where names the trust policy in errors
 */
export function trustedServices(document: unknown, where: string): readonly string[] {
  if (document === undefined) return [];
  return statementsOf(document, where).flatMap(({ Principal, Condition = OF_THIS_ACCOUNT, Effect }) => {
    if (Effect !== 'Allow' || JSON.stringify(Condition) !== JSON.stringify(OF_THIS_ACCOUNT)) {
      throw unknownForm(where, `the statement of ${JSON.stringify(Principal)}`);
    }
    return principalsOf(Principal, where).map((principal) => principal.replace(/^service:/, ''));
  });
}

const OF_THIS_ACCOUNT = { StringEquals: { 'aws:SourceAccount': ACCOUNT } };

function statementsOf(document: unknown, where: string): Record<string, unknown>[] {
  if (!isRecord(document)) throw unknownForm(where, 'a policy that is not an object');
  return [document.Statement].flat().map((statement) => {
    if (isRecord(statement)) return statement;
    throw unknownForm(where, 'a statement that is not an object');
  });
}

function readStatement(
  { Sid: _, Effect, Action, Resource, Condition: conditions = {}, ...others }: Record<string, unknown>,
  where: string,
): Statement {
  const [other] = Object.keys(others);
  if (other !== undefined) throw unknownForm(where, other);
  if (Effect !== 'Allow' && Effect !== 'Deny') throw unknownForm(where, `the effect ${JSON.stringify(Effect)}`);
  // A request whose tags are not known would not be denied.
  if (Effect === 'Deny' && JSON.stringify(conditions).includes('aws:ResourceTag/'))
    throw unknownForm(where, 'a Deny by tags');
  return {
    effect: Effect,
    actions: texts(Action, where, 'Action'),
    resources: texts(Resource, where, 'Resource'),
    conditions: conditionsOf(conditions, where),
  };
}

function conditionsOf(conditions: unknown, where: string): Condition[] {
  if (!isRecord(conditions)) throw unknownForm(where, 'a Condition that is not an object');
  return Object.entries(conditions).flatMap(([operator, tests]) => {
    if (!isOperator(operator)) throw unknownForm(where, `the condition operator ${operator}`);
    return Object.entries(isRecord(tests) ? tests : {}).map(([key, values]): Condition => {
      if (!KEYS.test(key)) throw unknownForm(where, `the condition key ${key}`);
      return [operator, key, texts(values, where, key, VARIABLES)];
    });
  });
}

function isOperator(name: string): name is ConditionOperator {
  return OPERATORS.has(name);
}

/** Returns the principals that a statement names: `*`, ARNs, and services as `service:<name>`. */
export function principalsOf(principal: unknown, where: string): string[] {
  if (principal === '*') return ['*'];
  if (!isRecord(principal)) throw unknownForm(where, 'a statement without Principal');
  return Object.entries(principal).flatMap(([kind, names]) => {
    if (kind !== 'AWS' && kind !== 'Service') throw unknownForm(where, `a principal of the kind ${kind}`);
    return texts(names, where, 'Principal').map((name) => (kind === 'Service' ? `service:${name}` : name));
  });
}

function texts(value: unknown, where: string, what: string, variables: RegExp | '' = ''): string[] {
  const all = [value].flat().map((one) => (typeof one === 'boolean' ? String(one) : one));
  return all.map((one) => {
    if (typeof one !== 'string') throw unknownForm(where, `a value of ${what} that is not a string`);
    if (one.replaceAll(variables, '').includes('${')) throw unknownForm(where, `the policy variable in ${one}`);
    return one;
  });
}

function unknownForm(where: string, what: string): OperatorError {
  return new OperatorError(
    `${where}: this machine cannot evaluate ${what}; test/aws-local/README.md lists what it can.`,
  );
}
