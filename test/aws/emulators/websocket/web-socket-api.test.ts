import { expect, it } from 'vitest';
import { readWebSocketApi } from '../../../aws-local/websocket/web-socket-api.ts';
import { templateOf } from '../../../support/aws-local/template-fixture.ts';

const uri = 'arn:aws:apigateway:us-east-1:lambda:path/x/functions/arn:aws:lambda:us-east-1:0:function:app/invocations';

/** Reads an API with one route, with other properties of it and of other resources. */
const read = (route: object, { Api = {}, Call = {}, Login = {} }: Record<string, object> = {}) =>
  readWebSocketApi(
    templateOf({
      Api: [
        'AWS::ApiGatewayV2::Api',
        { ProtocolType: 'WEBSOCKET', RouteSelectionExpression: '$request.body.kind', ...Api },
      ],
      Route: [
        'AWS::ApiGatewayV2::Route',
        { ApiId: 'Api', RouteKey: '$connect', Target: 'integrations/Call', ...route },
      ],
      Call: ['AWS::ApiGatewayV2::Integration', { IntegrationType: 'AWS_PROXY', IntegrationUri: uri, ...Call }],
      Login: ['AWS::ApiGatewayV2::Authorizer', { AuthorizerType: 'REQUEST', AuthorizerUri: uri, ...Login }],
    }),
    'Api',
  );
const custom = { AuthorizationType: 'CUSTOM', AuthorizerId: 'Login' };

it.each<[string, object, Record<string, object>, string]>([
  ['another integration', {}, { Call: { IntegrationType: 'MOCK' } }, 'not MOCK'],
  ['another authorizer', { ...custom, AuthorizationType: 'JWT' }, {}, 'not JWT'],
  ['an authorizer that is not there', { ...custom, AuthorizerId: 'Nobody' }, {}, 'REQUEST'],
  ['another identity source', custom, { Login: { IdentitySource: ['route.request.header.x'] } }, 'is context.stage'],
  ['authorization elsewhere', { RouteKey: 'a', AuthorizationType: 'AWS_IAM' }, {}, 'only $connect'],
  ['API keys', { ApiKeyRequired: true }, {}, 'API keys'],
  ['another selection', {}, { Api: { RouteSelectionExpression: '$request.header.x' } }, '$request.header.x'],
  ['an integration without a function', {}, { Call: { IntegrationUri: 'arn:aws:sqs' } }, 'does not name a function'],
])('a WebSocket API cannot have %s here, and says so', (_, route, others, sentence) => {
  expect(() => read({})).not.toThrow();
  expect(() => read(route, others)).toThrow(sentence);
});
