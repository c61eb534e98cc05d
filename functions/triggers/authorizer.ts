import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { errorRow, problemType } from '../core/errors.ts';
import type { LoginRequest, Verdict } from '../core/login.ts';

/** What the trigger reads of the gateway's event; the rest is never looked at. */
export type AuthorizerEvent = Pick<
  APIGatewayRequestAuthorizerEvent,
  'methodArn' | 'resource' | 'headers' | 'pathParameters'
>;

/**
 * A Lambda REQUEST authorizer of API Gateway around a decision. Allow carries `user` in its context; Deny carries
 * `code`, `type`, `title` and `detail`, which the gateway response ACCESS_DENIED writes into the problem document. A
 * decision that throws comes out as it is, and API Gateway answers AUTHORIZER_FAILURE. The event, which holds the
 * secret, is never logged.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizerTrigger(decide: (request: LoginRequest) => Promise<Verdict>) {
  return async (event: AuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const verdict = await decide(readEvent(event));
    return {
      principalId: verdict.allowed ? verdict.user : 'unknown',
      policyDocument: policy(verdict.allowed ? 'Allow' : 'Deny', event.methodArn),
      context: verdict.allowed ? { user: verdict.user } : refusal(verdict),
    };
  };
}

function readEvent({ resource, headers, pathParameters }: AuthorizerEvent): LoginRequest {
  // Header names come in the sender's spelling.
  const header = Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization');
  return { resource, pathUser: pathParameters?.user, authorization: header?.[1] };
}

function policy(effect: 'Allow' | 'Deny', resource: string): APIGatewayAuthorizerResult['policyDocument'] {
  return {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: resource }],
  };
}

function refusal({ code, detail }: Extract<Verdict, { allowed: false }>): Record<string, string> {
  return { code, type: problemType(code), title: plain(errorRow(code).title), detail: plain(detail) };
}

// The gateway's templates put these values between the quotes of a JSON string as they are, without escaping.
function plain(text: string): string {
  return text.replaceAll(/["\\\p{Cc}\s]+/gu, ' ').trim();
}
