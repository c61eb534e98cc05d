import type { APIGatewayEventRequestContext, APIGatewayProxyEvent, Context } from 'aws-lambda';
import { expect, it } from 'vitest';
import { handler } from '../../../../functions/api-unknown/handler.ts';
import packageJson from '../../../../package.json' with { type: 'json' };

const uuid = '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d';

const requestContext: APIGatewayEventRequestContext = {
  accountId: '123456789012',
  apiId: 'abcdefghij',
  authorizer: {},
  domainName: 'api.example.com',
  httpMethod: 'GET',
  identity: {
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
    sourceIp: '192.0.2.1',
    user: null,
    userAgent: null,
    userArn: null,
  },
  path: '/live/1/deploy',
  protocol: 'HTTP/1.1',
  requestId: uuid,
  requestTimeEpoch: 1_790_000_000_000,
  resourceId: 'klmnop',
  resourcePath: '/1/deploy',
  stage: 'live',
};

const event: APIGatewayProxyEvent = {
  httpMethod: 'GET',
  resource: '/1/deploy',
  path: '/1/deploy',
  headers: {},
  multiValueHeaders: {},
  queryStringParameters: null,
  multiValueQueryStringParameters: null,
  pathParameters: null,
  stageVariables: null,
  body: null,
  isBase64Encoded: false,
  requestContext,
};

const context: Context = {
  awsRequestId: '0d5f3c53-6a57-4d0e-8d3f-3f8a7a1f1f10',
  callbackWaitsForEmptyEventLoop: true,
  functionName: 'api-unknown',
  functionVersion: '$LATEST',
  getRemainingTimeInMillis: () => 29_000,
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:api-unknown',
  logGroupName: 'api-unknown',
  logStreamName: 'one',
  memoryLimitInMB: '512',
  done: () => {},
  fail: () => {},
  succeed: () => {},
};

it('The function api-unknown answers a wrong method with a problem document, as all endpoints do', async () => {
  const answer = await handler(event, context);
  expect(answer.statusCode).toBe(405);
  expect(answer.headers).toEqual({
    allow: 'POST',
    'content-type': 'application/problem+json',
    'x-api-uuid': uuid,
    'x-api-version': packageJson.version,
  });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'request:method_not_allowed', status: 405, uuid });
});
