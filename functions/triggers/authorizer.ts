import type { APIGatewayAuthorizerResult, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { socketLogin } from '../api/socket-login.ts';
import { errorRow } from '../core/errors.ts';
import type { LoggedIn, LoginDecision, LoginRequest } from '../core/login.ts';
import { header } from './request-uuid.ts';

/** The part of the gateway's event that the trigger reads. Events of a WebSocket API have no `resource`. */
export interface AuthorizerEvent extends Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers'> {
  readonly httpMethod?: string;
  readonly resource?: string;
  readonly pathParameters?: APIGatewayRequestAuthorizerEvent['pathParameters'];
  readonly requestContext: { readonly identity: { readonly sourceIp: string } };
}

/**
 * Returns a Lambda REQUEST authorizer for API Gateway, REST or WebSocket. The context of Allow has `user`, and the `token` of the login with its `rights`; that of Deny
 * has `code`, `title` and `detail`, which the gateway response ACCESS_DENIED writes into the problem document. A login
 * that cannot be checked now is allowed without a user and with `throttled`, the seconds to wait, and what its token may
 * not with `forbidden`, because an authorizer cannot answer 429 and 403: the functions do. When `decide` throws, API Gateway answers AUTHORIZER_FAILURE. The event contains
 * the secret and is never logged.
 *
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-lambda-authorizer-output.html
 */
export function authorizerTrigger(decide: (request: LoginRequest) => Promise<LoginDecision>) {
  return async (event: AuthorizerEvent): Promise<APIGatewayAuthorizerResult> => {
    const decision = await decide(readEvent(event));
    if ('throttledSeconds' in decision || 'forbidden' in decision) {
      const context =
        'forbidden' in decision ? { forbidden: decision.forbidden } : { throttled: String(decision.throttledSeconds) };
      return { principalId: 'unknown', policyDocument: policy('Allow', event.methodArn), context };
    }
    return {
      principalId: decision.allowed ? decision.user : 'unknown',
      policyDocument: policy(decision.allowed ? 'Allow' : 'Deny', event.methodArn),
      context: decision.allowed ? contextOf(decision) : refusal(decision),
    };
  };
}

function contextOf({ user, token }: LoggedIn): Record<string, string> {
  return { user, ...(token && { token: token.name }), ...(token?.rights && { rights: token.rights }) };
}

function readEvent(event: AuthorizerEvent): LoginRequest {
  const { resource, httpMethod: method = 'GET', headers, pathParameters, requestContext } = event;
  const authorization = header(headers, 'authorization');
  const address = requestContext.identity.sourceIp;
  const agent = header(headers, 'user-agent');
  const pathUser = pathParameters?.user;
  if (resource !== undefined) return { resource, method, pathUser, authorization, address, agent };
  const asked = ['origin', 'host', 'sec-websocket-protocol'].map((name) => [name, header(headers, name)]);
  // The address of the service is not known here: its pages have their own login.
  const login = socketLogin({ headers: { ...Object.fromEntries(asked), authorization }, base: '' });
  return { resource: '$connect', method, pathUser: undefined, address, authorization: login };
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
