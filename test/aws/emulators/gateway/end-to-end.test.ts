import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../../aws-local/gateway/gateway.ts';
import { type Functions, startFunctions } from '../../../aws-local/invoke/invoke.ts';
import { loadTemplate } from '../../../aws-local/template/template.ts';
import { loginScheme } from '../../../support/aws-local/api-fixture.ts';
import { apiPermission, lambda, writeAssembly } from '../../../support/aws-local/assembly-fixture.ts';

const bundles = {
  login: `
    export const handler = async ({ headers, methodArn }) => {
      if (headers.authorization === 'down') throw new Error('auth server down');
      const Effect = headers.authorization === 'good' ? 'Allow' : 'Deny';
      const Statement = [{ Action: 'execute-api:Invoke', Effect, Resource: methodArn }];
      return { principalId: 'ann', policyDocument: { Version: '2012-10-17', Statement }, context: { code: 'bad_creds' } };
    };
  `,
  hello: `
    export const handler = async (event) => ({
      statusCode: 202,
      body: JSON.stringify({ user: event.requestContext.authorizer.principalId, id: event.requestContext.requestId }),
    });
  `,
  feed: `
    export const handler = awslambda.streamifyResponse(async (event, stream) => {
      const { headers } = event;
      if (headers['if-none-match']) {
        const empty = awslambda.HttpResponseStream.from(stream, { statusCode: 304, headers: { etag: '"1"' } });
        if (headers['if-none-match'] === '"1"') empty.write('');
        return empty.end();
      }
      const body = awslambda.HttpResponseStream.from(stream, { statusCode: 200, headers: { 'content-type': 'text/plain' } });
      for (const line of ['one', 'two', 'three']) body.write(line + '\\n');
      body.end();
    });
  `,
};

const uri = (fn: string, action: string): object => ({
  'Fn::Join': [
    '',
    [
      'arn:aws:apigateway:',
      { Ref: 'AWS::Region' },
      ':lambda:path/x/functions/',
      { 'Fn::GetAtt': [fn, 'Arn'] },
      `/${action}`,
    ],
  ],
});
const operation = (fn: string, action: string): object => ({
  responses: {},
  security: [{ Login: [] }],
  'x-amazon-apigateway-integration': {
    type: 'aws_proxy',
    httpMethod: 'POST',
    uri: uri(fn, action),
    ...(action !== 'invocations' && { responseTransferMode: 'STREAM' }),
  },
});
/** The address that the stage has on AWS. */
const own = {
  'Fn::Join': ['', ['https://', { Ref: 'Api' }, '.execute-api.', { Ref: 'AWS::Region' }, '.amazonaws.com/live']],
};
const Resources = {
  Login: lambda('login', { Timeout: 10 }),
  Hello: lambda('hello', { Timeout: 10 }),
  Feed: lambda('feed', { Timeout: 10 }),
  LoginAllowed: apiPermission('Login', 'Api/authorizers/*'),
  HelloAllowed: apiPermission('Hello', 'Api/*/*/*'),
  FeedAllowed: apiPermission('Feed', 'Api/*/GET/changes'),
  Api: {
    Type: 'AWS::ApiGateway::RestApi',
    Properties: {
      Body: {
        openapi: '3.0.1',
        info: { title: 'Api', version: '1' },
        paths: {
          '/': { post: operation('Hello', 'invocations') },
          '/changes': { get: operation('Feed', 'response-streaming-invocations') },
        },
        components: { securitySchemes: { Login: loginScheme(uri('Login', 'invocations')) } },
        'x-amazon-apigateway-gateway-responses': {
          ACCESS_DENIED: {
            statusCode: 401,
            responseParameters: { 'gatewayresponse.header.WWW-Authenticate': '\'Basic realm="x"\'' },
            responseTemplates: {
              'application/json':
                '{"code":"$context.authorizer.code","at":"$stageVariables.base/x","own":"$stageVariables.own/y"}',
            },
          },
        },
      },
    },
  },
  Stage: {
    Type: 'AWS::ApiGateway::Stage',
    Properties: { StageName: 'live', Variables: { base: 'https://hooks.example.com', own } },
  },
};

describe('a synthesised API with its functions', () => {
  let functions: Functions;
  let gateway: Gateway;
  beforeAll(async () => {
    const cloudAssembly = writeAssembly({ Resources }, bundles);
    const values = { sqsEndpoint: 'http://127.0.0.1:1' };
    const template = loadTemplate({ cloudAssembly, parameters: {}, values });
    functions = startFunctions({ template, endpoints: {}, log: () => {} });
    gateway = await startGateway({ template, functions, port: 0 });
  });
  afterAll(async () => {
    await gateway?.close();
    await functions?.close();
  });
  const as = (authorization: string): RequestInit => ({ headers: { authorization } });

  it('the gateway passes the caller from the authorizer to the function', async () => {
    const response = await fetch(gateway.url, { method: 'POST', ...as('good') });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({ user: 'ann', id: response.headers.get('x-amzn-requestid') });
  });

  it('a refusal has the template’s response and its WWW-Authenticate under that name', async () => {
    const response = await fetch(gateway.url, { method: 'POST', ...as('bad') });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Basic realm="x"');
    expect(await response.json()).toEqual({
      code: 'bad_creds',
      at: 'https://hooks.example.com/x',
      own: `${gateway.url}/y`,
    });
  });

  it('a failed authorizer is status 500', async () => {
    expect((await fetch(gateway.url, { method: 'POST', ...as('down') })).status).toBe(500);
  });

  it('a streaming function streams its response', async () => {
    const response = await fetch(`${gateway.url}/changes/`, as('good'));
    expect(response.headers.get('content-type')).toBe('text/plain');
    expect(await response.text()).toBe('one\ntwo\nthree\n');
  });

  it('a stream without a body has its head when an empty text is written, else none, which is 502', async () => {
    const ask = (tag: string) =>
      fetch(`${gateway.url}/changes/`, { headers: { authorization: 'good', 'if-none-match': tag } });
    const known = await ask('"1"');
    expect([known.status, known.headers.get('etag'), await known.text()]).toEqual([304, '"1"', '']);
    expect((await ask('"without a write"')).status).toBe(502);
  });

  it('the gateway serves as many requests concurrently as a new account may', async () => {
    const calls = Array.from({ length: 10 }, () => fetch(gateway.url, { method: 'POST', ...as('good') }));
    const answers = await Promise.all(
      (await Promise.all(calls)).map((response) => response.json() as Promise<{ id: string }>),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(10);
  });

  it('a body whose event exceeds Lambda’s 6 MB is refused', async () => {
    const body = Buffer.alloc(6 * 1024 * 1024, 'x');
    expect((await fetch(gateway.url, { method: 'POST', ...as('good'), body })).status).toBe(413);
  });
});
