import type { APIGatewayProxyEvent, APIGatewayRequestAuthorizerEvent } from 'aws-lambda';
import { executeApiArn } from '../arn.ts';
import { ACCOUNT } from '../clients.ts';
import type { GatewayRequest } from './request.ts';
import { type RestApi, variablesFor } from './rest-api.ts';
import type { MatchedRoute } from './routes.ts';

/** The caller as the authorizer described it: `principalId` and its context, every value a string. */
export type AuthorizerContext = Readonly<Record<string, string>>;

/** The fields that the events of the authorizer and of the function share. */
export type EventBase = ReturnType<typeof eventBase>;

const NO_IDENTITY = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

/**
 * Returns the request part of a Lambda proxy event, version 1.0. `path` is as sent and path parameters are decoded, as
 * on AWS; paths have no stage, as behind a custom domain, unless the Host is of AWS's own domain names; `domainName` is
 * the Host header, so that URLs built from it work.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-lambda-proxy-integrations.html
 */
export function eventBase(api: RestApi, request: GatewayRequest, { method, pathParameters }: MatchedRoute) {
  return {
    resource: method.resourcePath,
    path: request.path,
    httpMethod: request.httpMethod,
    headers: request.headers,
    multiValueHeaders: request.multiValueHeaders,
    queryStringParameters: request.query,
    multiValueQueryStringParameters: request.multiValueQuery,
    pathParameters,
    stageVariables: variablesFor(api, request.host),
    requestContext: {
      ...requestContextOf(api, request),
      resourceId: method.resourceId,
      resourcePath: method.resourcePath,
      identity: { ...NO_IDENTITY, sourceIp: request.sourceIp, userAgent: request.userAgent },
    },
  };
}

/** Returns the values of `$context` for a request, whether or not it matched a method. */
export function requestContextOf(api: RestApi, request: GatewayRequest) {
  return {
    accountId: ACCOUNT,
    apiId: api.apiId,
    domainName: request.host,
    domainPrefix: request.host.split('.')[0] ?? request.host,
    extendedRequestId: request.requestId,
    httpMethod: request.httpMethod,
    path: request.wholePath,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: commonLogTime(request.receivedAt),
    requestTimeEpoch: request.receivedAt,
    stage: api.stage,
    identity: { sourceIp: request.sourceIp, userAgent: request.userAgent },
  };
}

/** Returns the function's event; an empty body is null. Without binary media types, no body is encoded. */
export function proxyEvent(base: EventBase, body: Buffer, authorizer: AuthorizerContext | undefined) {
  return {
    ...base,
    requestContext: { ...base.requestContext, authorizer },
    body: body.length === 0 ? null : body.toString(),
    isBase64Encoded: false,
  } satisfies Loose<APIGatewayProxyEvent>;
}

/** Returns the event of a REQUEST authorizer, which has no body. */
export function authorizerEvent(base: EventBase, methodArn: string) {
  return { type: 'REQUEST', methodArn, ...base } satisfies Loose<APIGatewayRequestAuthorizerEvent>;
}

/** Returns the method's ARN, to which the authorizer's policy refers: `…:<api>/<stage>/<METHOD>/<path>`. */
export function methodArn(api: RestApi, request: GatewayRequest): string {
  return executeApiArn(api.apiId, `${api.stage}/${request.httpMethod}/${request.path.slice(1)}`);
}

/** The published types are mutable and differ in optional fields; only names and types of the fields matter here. */
type Loose<Event> = { readonly [Field in keyof Event]: unknown };

/** `01/Mar/2026:10:00:00 +0000` */
export function commonLogTime(epochMs: number): string {
  const [, day, month, year, clock] = new Date(epochMs).toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
