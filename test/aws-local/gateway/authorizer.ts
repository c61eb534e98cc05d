import { FunctionError } from '../invoke/function-error.ts';
import { matches } from '../permissions/guard.ts';
import { isRecord } from '../template/intrinsics.ts';
import { GatewayError } from './gateway-responses.ts';
import type { AuthorizerContext } from './proxy-event.ts';

/** API Gateway, as permissions name it. */
export const API_GATEWAY = 'apigateway.amazonaws.com';

/** Returns the error for a failed authorizer: 401 when it threw "Unauthorized", else 500. */
export function authorizerFailed(error: unknown): GatewayError {
  if (error instanceof FunctionError && error.errorMessage === 'Unauthorized') return new GatewayError('UNAUTHORIZED');
  return new GatewayError('AUTHORIZER_FAILURE', { reason: error instanceof Error ? error.message : String(error) });
}

/**
 * Returns the caller's context from an authorizer's result when its policy allows the method.
 *
 * @throws GatewayError ACCESS_DENIED when the policy denies or does not allow; AUTHORIZER_CONFIGURATION_ERROR for a
 * result
 *   that is none (no principal, no policy, a context that is not flat)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorize(result: unknown, methodArn: string): AuthorizerContext {
  const { principalId, policyDocument, context = {} } = isRecord(result) ? result : {};
  if (typeof principalId !== 'string' || !isRecord(policyDocument)) throw malformed('no principalId or policyDocument');
  const authorizer = { principalId, ...flatContext(context) };
  const effects = list(policyDocument.Statement)
    .filter((statement) => applies(statement, methodArn))
    .map((statement) => (isRecord(statement) ? statement.Effect : undefined));
  if (effects.includes('Allow') && !effects.includes('Deny')) return authorizer;
  throw new GatewayError('ACCESS_DENIED', { authorizer });
}

function applies(statement: unknown, methodArn: string): boolean {
  if (!isRecord(statement)) throw malformed('a statement that is no object');
  const { Action, Resource, Effect, NotAction, NotResource } = statement;
  if (NotAction !== undefined || NotResource !== undefined || (Effect !== 'Allow' && Effect !== 'Deny')) {
    throw malformed('a statement that is not Allow or Deny of an Action on a Resource');
  }
  const matchesAction = list(Action).some((one) => matches(String(one), 'execute-api:Invoke', true));
  return matchesAction && list(Resource).some((one) => matches(String(one), methodArn));
}

function flatContext(context: unknown): Record<string, string> {
  if (!isRecord(context)) throw malformed('a context that is no object');
  const flat: Record<string, string> = {};
  for (const [key, value] of Object.entries(context)) {
    if (value === null) continue;
    if (typeof value === 'object') throw malformed(`context.${key} is not a string, number or boolean`);
    flat[key] = String(value);
  }
  return flat;
}

function list(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

function malformed(reason: string): GatewayError {
  return new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', { reason: `the authorizer returned ${reason}` });
}
