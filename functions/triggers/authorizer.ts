import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { type ErrorCode, errorRow, problemType } from '../core/errors.ts';

/** What the authorizer's event says about a request; the rest of the event is never looked at. */
export interface EntryEvent {
  readonly resource: string;
  readonly pathUser: string | undefined;
  readonly authorization: string | undefined;
}

/** What became of it: the user who may enter, or the code and the sentence that refuse. */
export type Entry =
  | { readonly allowed: true; readonly user: string }
  | { readonly allowed: false; readonly code: ErrorCode; readonly detail: string };

/**
 * A Lambda REQUEST authorizer of API Gateway around a decision. Allow carries `user` in its context; Deny carries
 * `code`, `type`, `title` and `detail`, which the gateway response ACCESS_DENIED writes into the problem document. A
 * decision that throws comes out as it is: API Gateway answers AUTHORIZER_FAILURE. The event, which holds the secret,
 * is not logged. https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizerTrigger(decide: (event: EntryEvent) => Promise<Entry>) {
  return async (event: APIGatewayRequestAuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const entry = await decide(readEvent(event));
    return {
      principalId: entry.allowed ? entry.user : 'unknown',
      policyDocument: policy(entry.allowed ? 'Allow' : 'Deny', event.methodArn),
      context: entry.allowed ? { user: entry.user } : refusal(entry.code, entry.detail),
    };
  };
}

function readEvent(event: APIGatewayRequestAuthorizerEvent): EntryEvent {
  // Header names come in the sender's spelling.
  const header = Object.entries(event.headers ?? {}).find(([name]) => name.toLowerCase() === 'authorization');
  return {
    resource: event.resource,
    pathUser: event.pathParameters?.user,
    authorization: header?.[1],
  };
}

function policy(effect: 'Allow' | 'Deny', resource: string): APIGatewayAuthorizerResult['policyDocument'] {
  return {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: resource }],
  };
}

function refusal(code: ErrorCode, detail: string): Record<string, string> {
  return { code, type: problemType(code), title: plain(errorRow(code).title), detail: plain(detail) };
}

// The gateway's templates put these values between the quotes of a JSON string as they are, without escaping.
function plain(text: string): string {
  return text.replaceAll(/["\\\p{Cc}\u2028\u2029]+/gu, ' ');
}
