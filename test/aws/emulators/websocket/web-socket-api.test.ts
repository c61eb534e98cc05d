import {
  ApiGatewayManagementApiClient,
  GoneException,
  PostToConnectionCommand,
} from '@aws-sdk/client-apigatewaymanagementapi';
import { describe, expect, it } from 'vitest';
import { clientFor } from '../../../aws-local/clients.ts';
import { readWebSocketApi, webSocketApiIds } from '../../../aws-local/websocket/web-socket-api.ts';
import { startWebSocketApis } from '../../../aws-local/websocket/websocket.ts';
import { openSocket } from '../../../support/aws-local/socket-client.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const uri = 'arn:aws:apigateway:us-east-1:lambda:path/x/functions/arn:aws:lambda:us-east-1:0:function:app/invocations';
const api = { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.data.kind' };
const read = (route: object, more: Record<string, object> = {}, properties: object = {}) =>
  readWebSocketApi(
    templateOf({
      Api: ['AWS::ApiGatewayV2::Api', { ...api, ...properties }],
      Other: ['AWS::ApiGatewayV2::Route', { ApiId: 'Elsewhere', RouteKey: 'other' }],
      Route: [
        'AWS::ApiGatewayV2::Route',
        { ApiId: 'Api', RouteKey: '$connect', Target: 'integrations/Call', ...route },
      ],
      Call: ['AWS::ApiGatewayV2::Integration', { IntegrationType: 'AWS_PROXY', IntegrationUri: uri, ...more.Call }],
      Login: ['AWS::ApiGatewayV2::Authorizer', { AuthorizerType: 'REQUEST', AuthorizerUri: uri, ...more.Login }],
    }),
    'Api',
  );

describe('the WebSocket API of a template', () => {
  it('a WebSocket API has its own routes with their functions', () => {
    expect([...read({}).routes.values()]).toEqual([
      {
        routeKey: '$connect',
        hasResponse: false,
        integration: {
          functionName: 'app',
          sourceArn: 'arn:aws:execute-api:us-east-1:000000000000:Api/local/$connect',
          timeoutMs: 29_000,
        },
      },
    ]);
  });

  it('a WebSocket API selects routes by a field inside the message, which may be a number', () => {
    const { select } = read({});
    expect(select('{"data":{"kind":"a"}}')).toBe('a');
    expect(select('{"data":{"kind":7}}')).toBe('7');
    expect(read({}, {}, { RouteSelectionExpression: ['$', '{request.body.a-b}'].join('') }).select('{"a-b":"c"}')).toBe(
      'c',
    );
    expect(select('{"data":"kind"}')).toBeUndefined();
    expect(select('{"data":{"__proto__":{"kind":"a"}}}')).toBeUndefined();
  });

  it('a route has a response only with both the expression and the route response', () => {
    expect(read({ RouteResponseSelectionExpression: '$default' }).routes.get('$connect')?.hasResponse).toBe(false);
  });

  it.each([
    ['another integration', { AuthorizationType: 'NONE' }, { Call: { IntegrationType: 'MOCK' } }, {}, 'not MOCK'],
    ['another authorizer', { AuthorizationType: 'JWT', AuthorizerId: 'Login' }, {}, {}, 'not JWT'],
    ['an authorizer that is not there', { AuthorizationType: 'CUSTOM', AuthorizerId: 'Nobody' }, {}, {}, 'REQUEST'],
    ['authorization elsewhere', { RouteKey: 'a', AuthorizationType: 'AWS_IAM' }, {}, {}, 'only $connect'],
    ['API keys', { ApiKeyRequired: true }, {}, {}, 'API keys'],
    ['another selection', {}, {}, { RouteSelectionExpression: '$request.header.x' }, '$request.header.x'],
    [
      'an integration without a function',
      {},
      { Call: { IntegrationUri: 'arn:aws:sqs' } },
      {},
      'does not name a function',
    ],
  ])('cannot have %s here, and says so', (_, route, more, properties, sentence) => {
    expect(() => read(route, more, properties)).toThrow(sentence);
  });
});

describe('a template without WebSocket APIs', () => {
  it('a template without WebSocket APIs starts no server', async () => {
    const template = templateOf({ Http: ['AWS::ApiGatewayV2::Api', { ProtocolType: 'HTTP' }] });
    expect(webSocketApiIds(template)).toEqual([]);
    const functions = { invoke: () => expect.fail('nothing to invoke') };
    const served = await startWebSocketApis({ template, functions, log: () => {} });
    expect(served.apis.size).toBe(0);
    expect(served.managementEndpoint).toBeUndefined();
    await served.close();
  });
});

describe('a template with several WebSocket APIs', () => {
  it('each WebSocket API has an endpoint that knows only its own connections', async () => {
    const template = templateOf({ One: ['AWS::ApiGatewayV2::Api', api], Two: ['AWS::ApiGatewayV2::Api', api] });
    const functions = { invoke: () => expect.fail('nothing to invoke') };
    const served = await startWebSocketApis({ template, functions, log: () => {} });
    const [one = '', two = ''] = [...served.apis.values()].map(({ url }) => url);
    const client = await openSocket(one);
    client.socket.send('{}');
    const { connectionId } = JSON.parse(await client.next());
    const ask = async (url: string) => {
      const management = new ApiGatewayManagementApiClient(clientFor(url.replace('ws', 'http')));
      await management.send(new PostToConnectionCommand({ ConnectionId: connectionId, Data: 'hello' }));
    };
    await ask(one);
    await expect(ask(two)).rejects.toBeInstanceOf(GoneException);
    await served.close();
  });
});
