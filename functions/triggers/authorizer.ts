import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { hasForeignOrigin } from '../api/cross-site.ts';
import { errorRow } from '../core/errors.ts';
import type { LoginDecision, LoginRequest } from '../core/login.ts';
import { header } from './header.ts';

/** The part of the gateway's event that the trigger reads. Events of a WebSocket API have no `resource`. */
export interface AuthorizerEvent extends Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers'> {
  readonly resource?: string;
  readonly pathParameters?: APIGatewayRequestAuthorizerEvent['pathParameters'];
  readonly requestContext: { readonly identity: { readonly sourceIp: string } };
}

const LOGIN_PROTOCOL = 'basic.';

/**
 * Returns a Lambda REQUEST authorizer for API Gateway, REST or WebSocket. The context of Allow has `user`; that of Deny
 * has `code`, `title` and `detail`, which the gateway response ACCESS_DENIED writes into the problem document. A login
 * that cannot be checked now is allowed without a user and with `throttled`, the seconds to wait, because an authorizer
 * cannot answer 429: the functions do. When `decide` throws, API Gateway answers AUTHORIZER_FAILURE. The event contains
 * the secret and is never logged.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizerTrigger(decide: (request: LoginRequest) => Promise<LoginDecision>) {
  return async (event: AuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const decision = await decide(readEvent(event));
    if ('throttledSeconds' in decision) {
      const context = { throttled: String(decision.throttledSeconds) };
      return { principalId: 'unknown', policyDocument: policy('Allow', event.methodArn), context };
    }
    return {
      principalId: decision.allowed ? decision.user : 'unknown',
      policyDocument: policy(decision.allowed ? 'Allow' : 'Deny', event.methodArn),
      context: decision.allowed ? { user: decision.user } : refusal(decision),
    };
  };
}

function readEvent({ resource, headers, pathParameters, requestContext }: AuthorizerEvent): LoginRequest {
  const authorization = header(headers, 'authorization');
  const address = requestContext.identity.sourceIp;
  if (resource !== undefined) return { resource, pathUser: pathParameters?.user, authorization, address };
  return { resource: '$connect', pathUser: undefined, address, authorization: socketLogin(headers, authorization) };
}

/**
 * Returns the login of a WebSocket. A page of another site has to offer its login: the header is one that the browser
 * remembers and adds. Programs send no `Origin`, or that of the WebSocket itself.
 */
function socketLogin(headers: AuthorizerEvent['headers'], authorization: string | undefined): string | undefined {
  const offered = offeredLogin(header(headers, 'sec-websocket-protocol'));
  const origin = { origin: header(headers, 'origin'), host: header(headers, 'host') };
  return hasForeignOrigin({ headers: origin, base: '' }) ? offered : (authorization ?? offered);
}

/**
 * Returns the login in a subprotocol, `basic.<user:secret, base64url>`: a browser cannot set the headers of a
 * WebSocket, but it can offer subprotocols. Unlike the query, they appear in no log and no history.
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

// The templates of API Gateway insert these values into a JSON string without escaping.
function plain(text: string): string {
  return text.replaceAll(/["\\\p{Cc}\s]+/gu, ' ').trim();
}
