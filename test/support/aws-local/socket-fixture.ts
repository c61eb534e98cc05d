import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { expect, vi } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { startFunctions } from '../../aws-local/invoke/invoke.ts';
import type { Guard } from '../../aws-local/permissions/guard.ts';
import { loadTemplate } from '../../aws-local/template/template.ts';
import type { Limits } from '../../aws-local/websocket/connection.ts';
import { startWebSocketApis } from '../../aws-local/websocket/websocket.ts';
import { apiPermission, lambda, writeAssembly } from './assembly-fixture.ts';

/** The events of API Gateway, as far as the tests look into them. */
export interface SocketEvent {
  readonly type?: string;
  readonly methodArn?: string;
  readonly headers?: Record<string, string>;
  readonly multiValueHeaders?: Record<string, string[]>;
  readonly queryStringParameters?: Record<string, string>;
  readonly multiValueQueryStringParameters?: Record<string, string[]>;
  readonly body?: string;
  readonly isBase64Encoded?: boolean;
  readonly requestContext: Record<string, unknown> & { routeKey: string; eventType: string; connectionId: string };
}

// Every function prints its event, so that the tests see it as it came in.
const bundles = {
  login: `
    export const handler = async (event) => {
      console.log(JSON.stringify(event));
      const { authorization } = event.headers;
      if (authorization === 'down') throw new Error('auth server down');
      if (authorization === 'unknown') throw new Error('Unauthorized');
      const Effect = authorization === 'good' ? 'Allow' : 'Deny';
      const Statement = [{ Action: 'execute-api:Invoke', Effect, Resource: event.methodArn }];
      return { principalId: 'ann', policyDocument: { Version: '2012-10-17', Statement }, context: { apps: 2 } };
    };
  `,
  connect: `
    export const handler = async (event) => {
      console.log(JSON.stringify(event));
      const query = event.queryStringParameters ?? {};
      if (query.throw) throw new Error('no');
      if (query.nonsense) return 'nonsense';
      if (query.wait) await new Promise((resolve) => setTimeout(resolve, Number(query.wait)));
      const headers = query.protocol ? { 'sec-websocket-protocol': query.protocol } : {};
      return { statusCode: Number(query.status ?? 200), headers };
    };
  `,
  app: `
    export const handler = async (event) => {
      console.log(JSON.stringify(event));
      const { body = '', requestContext: { routeKey, connectionId } } = event;
      if (body.includes('explode')) throw new Error('boom');
      if (body.includes('nonsense')) return 'nonsense';
      if (body.includes('linger')) await new Promise((resolve) => setTimeout(resolve, 5000));
      if (body.includes('huge')) return { statusCode: 200, body: 'x'.repeat(128 * 1024 + 1) };
      return { statusCode: 200, body: JSON.stringify({ routeKey, connectionId, length: body.length }) };
    };
  `,
  goodbye: `
    export const handler = async (event) => {
      console.log(JSON.stringify(event));
      return { statusCode: 200 };
    };
  `,
};

const uri = (fn: string): object => ({
  'Fn::Join': [
    '',
    ['arn:aws:apigateway:us-east-1:lambda:path/x/functions/', { 'Fn::GetAtt': [fn, 'Arn'] }, '/invocations'],
  ],
});
const target = (integration: string): object => ({
  Target: { 'Fn::Join': ['', ['integrations/', { Ref: integration }]] },
});
const resource = (type: string, properties: object): object => ({
  Type: `AWS::ApiGatewayV2::${type}`,
  Properties: { ApiId: { Ref: 'Socket' }, ...properties },
});
const integration = (fn: string, more: object = {}): object =>
  resource('Integration', { IntegrationType: 'AWS_PROXY', IntegrationUri: uri(fn), ...more });
const answering = { RouteResponseSelectionExpression: '$default' };

/** The settings of a test that differ from the defaults. */
export interface FixtureOptions {
  /** Properties of the `$connect` route: its authorization. */
  readonly connect?: object;
  readonly limits?: Partial<Limits>;
  readonly guard?: Guard;
  /** Sources in the place of the fixture's own. */
  readonly functions?: Record<string, string>;
  /** More resources, or others in the place of the fixture's own; undefined leaves one out. */
  readonly resources?: Record<string, object | undefined>;
}

/** A synthesised WebSocket API with its functions in real workers, served on a free port. */
export async function startSocketFixture(options: FixtureOptions = {}) {
  const { connect = {}, limits = {}, functions: sources = {}, resources = {} } = options;
  const cloudAssembly = writeAssembly(
    { Resources: { ...defaults(connect), ...resources } },
    { ...bundles, ...sources },
  );
  const values = { sqsEndpoint: 'http://127.0.0.1:1' };
  const template = loadTemplate({ cloudAssembly, parameters: {}, values });
  const events: SocketEvent[] = [];
  const sentences: string[] = [];
  const log = ({ stream, text }: { stream: string; text: string }): void => {
    if (stream === 'stdout') events.push(JSON.parse(text));
  };
  const functions = startFunctions({ template, endpoints: {}, log });
  const served = await startWebSocketApis({
    ...(options.guard && { guard: options.guard }),
    template,
    functions,
    log: (line) => sentences.push(line),
    limits,
  }).catch(async (error: unknown) => {
    await functions.close();
    throw error;
  });
  const endpoint = served.managementEndpoint ?? '';
  const client = new ApiGatewayManagementApiClient(clientFor(endpoint));
  return {
    ...served,
    url: served.apis.get('Socket')?.url ?? '',
    endpoint,
    client,
    events,
    sentences,
    functions,
    /** The first event of a route, of any connection or that one, waited for. */
    event: (routeKey: string, connectionId?: string): Promise<SocketEvent> =>
      vi.waitFor(() => {
        const found = events.find(
          ({ type, requestContext }) =>
            type === undefined &&
            requestContext.routeKey === routeKey &&
            (connectionId === undefined || requestContext.connectionId === connectionId),
        );
        if (!found) return expect.fail(`no event of ${routeKey}`);
        return found;
      }, 30_000),
    /** The routes that a connection has taken so far, in order. */
    routesOf: (connectionId: string): string[] =>
      events
        .map(({ requestContext }) => requestContext)
        .filter((context) => context.connectionId === connectionId)
        .map(({ routeKey }) => routeKey),
    /** Ends the server alone. */
    stop: served.close,
    close: async (): Promise<void> => {
      client.destroy();
      await served.close();
      await functions.close();
    },
  };
}

export type SocketFixture = Awaited<ReturnType<typeof startSocketFixture>>;

function defaults(connect: object): Record<string, object> {
  return {
    Login: lambda('login', { Timeout: 10 }),
    Connect: lambda('connect', { Timeout: 10 }),
    App: lambda('app', { Timeout: 10 }),
    Goodbye: lambda('goodbye', { Timeout: 10 }),
    Socket: {
      Type: 'AWS::ApiGatewayV2::Api',
      Properties: { Name: 'socket', ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' },
    },
    Stage: resource('Stage', { StageName: 'prod', AutoDeploy: true }),
    Authorizer: resource('Authorizer', {
      AuthorizerType: 'REQUEST',
      AuthorizerUri: uri('Login'),
      IdentitySource: ['context.stage'],
    }),
    ConnectCall: integration('Connect', { TimeoutInMillis: 3000 }),
    AppCall: integration('App', { TimeoutInMillis: 3000 }),
    GoodbyeCall: integration('Goodbye'),
    OnConnect: resource('Route', { RouteKey: '$connect', ...target('ConnectCall'), ...connect }),
    OnDisconnect: resource('Route', { RouteKey: '$disconnect', ...target('GoodbyeCall') }),
    OnDefault: resource('Route', { RouteKey: '$default', ...target('AppCall'), ...answering }),
    DefaultResponse: resource('RouteResponse', { RouteId: { Ref: 'OnDefault' }, RouteResponseKey: '$default' }),
    OnRegister: resource('Route', { RouteKey: 'register', ...target('AppCall'), ...answering }),
    RegisterResponse: resource('RouteResponse', { RouteId: { Ref: 'OnRegister' }, RouteResponseKey: '$default' }),
    OnQuiet: resource('Route', { RouteKey: 'quiet', ...target('AppCall') }),
    LoginAllowed: apiPermission('Login', 'Socket/authorizers/Authorizer'),
    ConnectAllowed: apiPermission('Connect', 'Socket/*$connect'),
    AppAllowed: apiPermission('App', 'Socket/prod/*'),
    GoodbyeAllowed: apiPermission('Goodbye', 'Socket/*$disconnect'),
  };
}
