import type { APIGatewayProxyEvent, SQSEvent, SQSRecord } from 'aws-lambda';
import { afterEach, beforeEach, vi } from 'vitest';

/** What a test says of a request; the rest is as API Gateway sends it. */
export type GivenRequest = Partial<Omit<APIGatewayProxyEvent, 'requestContext'>> & {
  readonly requestContext?: Partial<APIGatewayProxyEvent['requestContext']>;
};

export const uuid = '6ad0ce5c-1f4d-4b0b-9d5e-0a2f3a4b5c6d';

const nobody = {
  ...{ accessKey: null, accountId: null, apiKey: null, apiKeyId: null, caller: null, clientCert: null },
  ...{ cognitoAuthenticationProvider: null, cognitoAuthenticationType: null, cognitoIdentityId: null },
  ...{ cognitoIdentityPoolId: null, principalOrgId: null, sourceIp: '192.0.2.1', user: null, userAgent: null },
  userArn: null,
};

/** Returns the event of a request; without a request, of `POST /1/deploy` of nobody. */
export function proxyEvent({ requestContext, ...given }: GivenRequest): APIGatewayProxyEvent {
  const { httpMethod = 'POST', path = '/1/deploy', resource = path } = given;
  return {
    headers: {},
    multiValueHeaders: {},
    pathParameters: null,
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
    ...given,
    ...{ httpMethod, path, resource },
    requestContext: {
      accountId: '123456789012',
      apiId: 'abcdefghij',
      authorizer: undefined,
      domainName: 'api.example.com',
      httpMethod,
      identity: nobody,
      path,
      protocol: 'HTTP/1.1',
      requestId: uuid,
      requestTimeEpoch: 1_790_000_000_000,
      resourceId: 'klmnop',
      resourcePath: resource,
      stage: 'live',
      ...requestContext,
    },
  };
}

/** What a test says of a message; the rest is as Lambda gets it. */
export type GivenMessage = Pick<SQSRecord, 'body'> &
  Partial<Omit<SQSRecord, 'attributes'>> & { readonly attributes?: Partial<SQSRecord['attributes']> | undefined };

/** Returns the event of a batch of messages. */
export function sqsEvent(...messages: readonly GivenMessage[]): SQSEvent {
  return {
    Records: messages.map(({ attributes, ...message }) => ({
      messageId: 'm',
      receiptHandle: 'r',
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:123456789012:queue',
      awsRegion: 'us-east-1',
      ...message,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '1790000000000',
        SenderId: 'AROAEXAMPLE',
        ApproximateFirstReceiveTimestamp: '1790000000000',
        ...attributes,
      },
    })),
  };
}

/** The `Context` of an invocation, as far as Lambda promises it. */
export const context = {
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'function',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:us-east-1:123456789012:function:function',
  memoryLimitInMB: '512',
  awsRequestId: uuid,
  logGroupName: 'function',
  logStreamName: 'one',
  getRemainingTimeInMillis: () => 10_000,
  done: () => {},
  fail: () => {},
  succeed: () => {},
};

/** Returns what `console.error` gets in a test, the log of a function, in place of the terminal. */
export function loggedErrors(): string[] {
  const lines: string[] = [];
  beforeEach(() => {
    lines.length = 0;
    vi.spyOn(console, 'error').mockImplementation((line: string) => void lines.push(line));
  });
  afterEach(() => void vi.restoreAllMocks());
  return lines;
}
