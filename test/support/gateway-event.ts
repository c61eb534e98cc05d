import type { APIGatewayProxyEvent } from 'aws-lambda';

/** What a test says of a request; the rest is as API Gateway sends it. */
export interface PairRequest {
  readonly method?: string;
  readonly host?: string;
  readonly user?: string;
  readonly app?: string;
  readonly body?: string | Uint8Array;
  readonly contentType?: string;
}

export const uuid = '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d';

/** The event of a request to `/1/auth/{host}`, whose body comes in base64 as everywhere. */
export function gatewayEvent(request: PairRequest): APIGatewayProxyEvent {
  const {
    method = 'POST',
    host = 'repohost',
    user = 'kiwi',
    app,
    body = '',
    contentType = 'application/json',
  } = request;
  const path = `/1/auth/${encodeURIComponent(host)}`;
  const nobody = {
    ...{ accessKey: null, accountId: null, apiKey: null, apiKeyId: null, caller: null, clientCert: null },
    ...{ cognitoAuthenticationProvider: null, cognitoAuthenticationType: null, cognitoIdentityId: null },
    ...{ cognitoIdentityPoolId: null, principalOrgId: null, sourceIp: '192.0.2.1', user: null, userAgent: null },
    userArn: null,
  };
  return {
    httpMethod: method,
    path,
    resource: '/1/auth/{host}',
    headers: { 'Content-Type': contentType },
    multiValueHeaders: {},
    pathParameters: { host: encodeURIComponent(host) },
    queryStringParameters: app === undefined ? null : { app },
    multiValueQueryStringParameters: null,
    stageVariables: null,
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      authorizer: { user },
      domainName: 'api.example.com',
      httpMethod: method,
      identity: nobody,
      path: `/live${path}`,
      protocol: 'HTTP/1.1',
      requestId: uuid,
      requestTimeEpoch: 1_790_000_000_000,
      resourceId: 'klmnop',
      resourcePath: '/1/auth/{host}',
      stage: 'live',
    },
  };
}

/** The `Context` of an invocation, as far as Lambda promises it. */
export const context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'api-pair',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:api-pair',
  memoryLimitInMB: '512',
  awsRequestId: uuid,
  logGroupName: 'api-pair',
  logStreamName: 'one',
  getRemainingTimeInMillis: () => 10_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};
