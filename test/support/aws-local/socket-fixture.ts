import { ApiGatewayManagementApiClient } from '@aws-sdk/client-apigatewaymanagementapi';
import { expect, vi } from 'vitest';
import { clientFor } from '../../aws-local/clients.ts';
import { FunctionError } from '../../aws-local/invoke/function-error.ts';
import type { Guard } from '../../aws-local/permissions/guard.ts';
import type { Limits } from '../../aws-local/websocket/connection.ts';
import { startWebSocketApis } from '../../aws-local/websocket/websocket.ts';
import { templateOf } from './template-fixture.ts';

/** The events of API Gateway, as far as the tests look into them. */
export interface SocketEvent {
  readonly type?: string;
  readonly methodArn?: string;
  readonly headers?: Record<string, string>;
  readonly queryStringParameters?: Record<string, string>;
  readonly body?: string;
  readonly requestContext: Record<string, unknown> & { routeKey: string; eventType: string; connectionId: string };
}

const seconds = (count: number) => new Promise((resolve) => setTimeout(resolve, count * 1000));

/** The function `login` lets `good` in, and the others do what the query or the message asks for. */
const functions: Readonly<Record<string, (event: SocketEvent) => unknown>> = {
  login: ({ headers, methodArn }) => {
    if (headers?.authorization === 'down') throw thrown('auth server down');
    if (headers?.authorization === 'unknown') throw thrown('Unauthorized');
    const Effect = headers?.authorization === 'good' ? 'Allow' : 'Deny';
    const Statement = [{ Action: 'execute-api:Invoke', Effect, Resource: methodArn }];
    return { principalId: 'ann', policyDocument: { Version: '2012-10-17', Statement }, context: { apps: 2 } };
  },
  connect: async ({ queryStringParameters: query = {} }) => {
    if (query.then === 'throw') throw thrown('no');
    if (query.then === 'nonsense') return 'nonsense';
    if (query.wait) await seconds(Number(query.wait));
    return { statusCode: Number(query.status ?? 200) };
  },
  app: async ({ body = '', requestContext: { routeKey, connectionId } }) => {
    if (body.includes('explode')) throw thrown('boom');
    if (body.includes('nonsense')) return 'nonsense';
    if (body.includes('linger')) await seconds(2);
    if (body.includes('huge')) return { statusCode: 200, body: 'x'.repeat(128 * 1024 + 1) };
    return { statusCode: 200, body: JSON.stringify({ routeKey, connectionId, length: body.length }) };
  },
  goodbye: () => ({ statusCode: 200 }),
};

function thrown(errorMessage: string): FunctionError {
  return new FunctionError({ errorType: 'Error', errorMessage, trace: [] });
}

type Resources = Parameters<typeof templateOf>[0];

/** The settings of a test that differ from the defaults. */
export interface FixtureOptions {
  /** Properties of the `$connect` route: its authorization. */
  readonly connect?: object;
  readonly limits?: Partial<Limits>;
  readonly guard?: Guard;
  /** The permission that the API does not have. */
  readonly without?: string;
}

/** A WebSocket API with functions in this process, served on a free port. */
export async function startSocketFixture({ connect = {}, limits, guard, without = '' }: FixtureOptions = {}) {
  const { [without]: _, ...resources } = resourcesWith(connect);
  const events: SocketEvent[] = [];
  const sentences: string[] = [];
  const served = await startWebSocketApis({
    ...(guard && { guard }),
    ...(limits && { limits }),
    template: templateOf(resources),
    functions: {
      invoke: async (name, event) => {
        const sent: SocketEvent = JSON.parse(JSON.stringify(event));
        events.push(sent);
        return functions[name]?.(sent);
      },
    },
    log: (line) => sentences.push(line),
  });
  const url = served.apis.get('Socket')?.url ?? '';
  const endpoint = url.replace('ws', 'http');
  const client = new ApiGatewayManagementApiClient(clientFor(endpoint));
  return {
    url,
    endpoint,
    client,
    events,
    sentences,
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
    close: async (): Promise<void> => {
      client.destroy();
      await served.close();
    },
  };
}

export type SocketFixture = Awaited<ReturnType<typeof startSocketFixture>>;

const v2 = (type: string, properties: object): Resources[string] => [
  `AWS::ApiGatewayV2::${type}`,
  { ApiId: 'Socket', ...properties },
];
const uri = (name: string) => `arn:x/functions/arn:aws:lambda:us-east-1:0:function:${name}/invocations`;
const integration = (name: string) =>
  v2('Integration', { IntegrationType: 'AWS_PROXY', IntegrationUri: uri(name), TimeoutInMillis: 1000 });
const route = (RouteKey: string, name: string, more: object = {}) =>
  v2('Route', { RouteKey, Target: `integrations/${name}`, ...more });
const answering = { RouteResponseSelectionExpression: '$default' };
const allowed = (FunctionName: string, source: string): Resources[string] => [
  'AWS::Lambda::Permission',
  {
    ...{ Action: 'lambda:InvokeFunction', FunctionName, Principal: 'apigateway.amazonaws.com' },
    SourceArn: `arn:aws:execute-api:us-east-1:000000000000:Socket/${source}`,
  },
];

function resourcesWith(connect: object): Resources {
  return {
    Socket: ['AWS::ApiGatewayV2::Api', { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.action' }],
    Stage: v2('Stage', { StageName: 'prod' }),
    Authorizer: v2('Authorizer', {
      ...{ AuthorizerType: 'REQUEST', AuthorizerUri: uri('login'), IdentitySource: ['context.stage'] },
    }),
    Connect: integration('connect'),
    App: integration('app'),
    Goodbye: integration('goodbye'),
    OnConnect: route('$connect', 'Connect', connect),
    OnDisconnect: route('$disconnect', 'Goodbye'),
    OnDefault: route('$default', 'App', answering),
    DefaultResponse: v2('RouteResponse', { RouteId: 'OnDefault', RouteResponseKey: '$default' }),
    OnQuiet: route('quiet', 'App'),
    LoginAllowed: allowed('login', 'authorizers/Authorizer'),
    ConnectAllowed: allowed('connect', '*$connect'),
    AppAllowed: allowed('app', 'prod/*'),
    GoodbyeAllowed: allowed('goodbye', '*$disconnect'),
  };
}
