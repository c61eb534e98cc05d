import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { errorRow } from '../core/errors.ts';
import type { LoginDecision, LoginRequest } from '../core/login.ts';
import { header } from './header.ts';

/** What the trigger reads of the gateway's event; the rest is never looked at. A WebSocket API's has no `resource`. */
export interface AuthorizerEvent extends Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers'> {
  readonly resource?: string;
  readonly pathParameters?: APIGatewayRequestAuthorizerEvent['pathParameters'];
}

const LOGIN_PROTOCOL = 'basic.';

/**
 * A Lambda REQUEST authorizer of API Gateway, REST or WebSocket, around a decision. Allow carries `user` in its context; Deny carries
 * `code`, `title` and `detail`, which the gateway response ACCESS_DENIED writes into the problem document. A
 * decision that throws comes out as it is, and API Gateway answers AUTHORIZER_FAILURE. The event, which holds the
 * secret, is never logged.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizerTrigger(decide: (request: LoginRequest) => Promise<LoginDecision>) {
  return async (event: AuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const decision = await decide(readEvent(event));
    return {
      principalId: decision.allowed ? decision.user : 'unknown',
      policyDocument: policy(decision.allowed ? 'Allow' : 'Deny', event.methodArn),
      context: decision.allowed ? { user: decision.user } : refusal(decision),
    };
  };
}

function readEvent({ resource, headers, pathParameters }: AuthorizerEvent): LoginRequest {
  const authorization = header(headers, 'authorization');
  if (resource !== undefined) return { resource, pathUser: pathParameters?.user, authorization };
  return {
    resource: '$connect',
    pathUser: undefined,
    authorization: authorization ?? offeredLogin(header(headers, 'sec-websocket-protocol')),
  };
}

/**
 * A browser cannot set headers of a WebSocket, but it can offer subprotocols: `basic.<user:secret, base64url>` is a login.
 * Unlike the query it shows in no log and no history.
 */
function offeredLogin(protocols = ''): string | undefined {
  const offered = protocols.split(',').map((one) => one.trim());
  const login = offered.find((one) => one.startsWith(LOGIN_PROTOCOL));
  return login && `Basic ${login.slice(LOGIN_PROTOCOL.length)}`;
}

function policy(effect: 'Allow' | 'Deny', resource: string): APIGatewayAuthorizerResult['policyDocument'] {
  return {
    Version: '2012-10-17',
    Statement: [{ Action: 'execute-api:Invoke', Effect: effect, Resource: resource }],
  };
}

function refusal({ code, detail }: Extract<LoginDecision, { allowed: false }>): Record<string, string> {
  return { code, title: plain(errorRow(code).title), detail: plain(detail) };
}

// The gateway's templates put these values between the quotes of a JSON string as they are, without escaping.
function plain(text: string): string {
  return text.replaceAll(/["\\\p{Cc}\s]+/gu, ' ').trim();
}
