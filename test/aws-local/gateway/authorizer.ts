import { within } from '../../../functions/adapters/system/within.ts';
import { FunctionError } from '../invoke/function-error.ts';
import type { Invoker } from '../invoke/invoker.ts';
import { matches } from '../permissions/guard.ts';
import type { InvocationDenial } from '../permissions/invocations.ts';
import { isRecord } from '../template/intrinsics.ts';
import { GatewayError } from './gateway-responses.ts';
import type { AuthorizerContext } from './proxy-event.ts';

/** API Gateway, as permissions name it. */
export const API_GATEWAY = 'apigateway.amazonaws.com';

/** A function, and the ARN for which an API invokes it. */
export interface Called {
  readonly functionName: string;
  readonly sourceArn: string;
}

/** The functions behind an API. */
export interface Backend {
  readonly functions: Invoker;
  /** Why the API may not invoke a function. */
  readonly denial: InvocationDenial;
}

// The same as of an integration: https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const TIMEOUT_MS = 29_000;

/**
 * Asks an authorizer, and returns the caller's context when its policy allows the method.
 *
 * @throws GatewayError UNAUTHORIZED when it throws "Unauthorized"; AUTHORIZER_FAILURE when it fails otherwise;
 *   ACCESS_DENIED when the policy denies or does not allow; AUTHORIZER_CONFIGURATION_ERROR when the API may not invoke
 *   it, and for a result that is none (no principal, no policy, a context that is not flat)
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export async function askAuthorizer(
  { functions, denial }: Backend,
  called: Called,
  event: { readonly methodArn: string },
): Promise<AuthorizerContext> {
  const refusal = denial({ ...called, principal: API_GATEWAY });
  if (refusal !== undefined) throw new GatewayError('AUTHORIZER_CONFIGURATION_ERROR', { reason: refusal });
  const late = () => new Error('the authorizer timed out');
  const asked = () => functions.invoke(called.functionName, event);
  const result = await within(TIMEOUT_MS, asked, late).catch((error: unknown) => {
    throw failed(error);
  });
  return authorize(result, event.methodArn);
}

function failed(error: unknown): GatewayError {
  if (error instanceof FunctionError && error.errorMessage === 'Unauthorized') return new GatewayError('UNAUTHORIZED');
  return new GatewayError('AUTHORIZER_FAILURE', { reason: error instanceof Error ? error.message : String(error) });
}

function authorize(result: unknown, methodArn: string): AuthorizerContext {
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
