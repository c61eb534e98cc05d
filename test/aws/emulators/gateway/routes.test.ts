import { describe, expect, it } from 'vitest';
import { readGatewayResponses } from '../../../aws-local/gateway/gateway-responses.ts';
import { readRestApi } from '../../../aws-local/gateway/rest-api.ts';
import { compileRoutes } from '../../../aws-local/gateway/routes.ts';
import { apiTemplate, type Methods } from '../../../support/aws-local/api-fixture.ts';

const route = (() => {
  const declared = [
    'POST /',
    'POST /1/deploy',
    'ANY /1/deploy',
    'GET /1/status/{user}/webhooks',
    'GET /1/status/{user}/webhooks/{application}',
    'GET /1/status/me/webhooks',
    'GET /{user}/{repository}',
  ];
  const methods: Methods = Object.fromEntries(declared.map((key) => [key, { function: 'f' }]));
  const match = compileRoutes(readRestApi(apiTemplate(methods)).methods);
  return (httpMethod: string, path: string): string | undefined => {
    const found = match(httpMethod, path);
    if (!found) return undefined;
    const { method, pathParameters } = found;
    return `${method.httpMethod} ${method.resourcePath} ${JSON.stringify(pathParameters)}`;
  };
})();

describe('routes', () => {
  it.each([
    ['the root', 'POST', '/', 'POST / null'],
    ['a literal path', 'POST', '/1/deploy', 'POST /1/deploy null'],
    ['ANY where the method has no entry of its own', 'GET', '/1/deploy', 'ANY /1/deploy null'],
    ['a trailing slash like none', 'POST', '/1/deploy/', 'POST /1/deploy null'],
    ['a parameter', 'GET', '/1/status/ann/webhooks', 'GET /1/status/{user}/webhooks {"user":"ann"}'],
    ['a literal before a parameter', 'GET', '/1/status/me/webhooks', 'GET /1/status/me/webhooks null'],
    [
      'a parameter where the literal leads nowhere',
      'GET',
      '/1/status/me/webhooks/x',
      'GET /1/status/{user}/webhooks/{application} {"user":"me","application":"x"}',
    ],
    ['decoded parameters', 'GET', '/1/status/a%40b%2Fc/webhooks', 'GET /1/status/{user}/webhooks {"user":"a@b/c"}'],
    ['a broken percent-encoding as it is', 'GET', '/%zz/x', 'GET /{user}/{repository} {"user":"%zz","repository":"x"}'],
  ])('find %s', (_, httpMethod, path, expected) => {
    expect(route(httpMethod, path)).toBe(expected);
  });

  it('the resource is selected before the method, so that another method of it does not match', () => {
    expect(route('PUT', '/ann/site')).toBeUndefined();
  });

  it('an empty segment does not match a parameter, and a target that is not a path matches nothing', () => {
    expect(route('GET', '//site')).toBeUndefined();
    expect(route('OPTIONS', '*')).toBeUndefined();
  });

  it('a path whose parameter takes the rest is refused', () => {
    const greedy = readRestApi(apiTemplate({ 'ANY /{proxy+}': { function: 'f' } }));
    expect(() => compileRoutes(greedy.methods)).toThrow('a parameter that takes the rest is not emulated');
  });
});

describe('a definition that API Gateway would refuse, ignore or serve otherwise is refused', () => {
  // biome-ignore lint/suspicious/noExplicitAny: each case breaks another part of the definition
  type Part = Record<string, any>;
  const get = (body: Part): Part => body.paths['/a/{b}'].get;
  const integration = (body: Part): Part => get(body)['x-amazon-apigateway-integration'];
  const login = (body: Part): Part => body.components.securitySchemes.Login;
  const authorizer = (body: Part): Part => login(body)['x-amazon-apigateway-authorizer'];
  const responses = (body: Part): Part => body['x-amazon-apigateway-gateway-responses'];
  const cases: Record<string, [break_: (body: Part) => unknown, message: string]> = {
    'another integration': [(body) => (integration(body).type = 'mock'), 'only aws_proxy integrations by POST'],
    'a function that is not invoked by POST': [(body) => (integration(body).httpMethod = 'GET'), 'by POST'],
    'no integration': [(body) => delete get(body)['x-amazon-apigateway-integration'], 'GET /a/{b} of the REST API is'],
    'a stream of what does not stream': [(body) => (integration(body).responseTransferMode = 'STREAM'), 'mode STREAM'],
    'too much time': [(body) => (integration(body).timeoutInMillis = 29_001), 'between 50 and 29000 ms'],
    'a field of an integration': [(body) => (integration(body).cacheNamespace = 'x'), 'cacheNamespace is not emulated'],
    'a field of an operation': [(body) => (get(body)['x-amazon-apigateway-auth'] = {}), '-auth is not emulated'],
    'another method': [(body) => (body.paths['/a/{b}'].GET = get(body)), '/a/{b}: GET is not emulated'],
    'another extension': [(body) => (body['x-amazon-apigateway-policy'] = {}), 'policy is not emulated'],
    'a parameter that is not declared': [(body) => delete get(body).parameters, 'not those of the path'],
    'a parameter that the path lacks': [(body) => get(body).parameters.push({ in: 'query' }), 'not those of the path'],
    'a login that is not declared': [(body) => delete body.components.securitySchemes.Login, 'not one known scheme'],
    'two logins': [(body) => get(body).security.push({ Login: [] }), 'not one known scheme'],
    'an authorizer with a cache': [(body) => delete authorizer(body).authorizerResultTtlInSeconds, 'without a cache'],
    'an identity source': [(body) => (authorizer(body).identitySource = 'x'), 'identitySource is not emulated'],
    'an API key': [(body) => delete login(body)['x-amazon-apigateway-authorizer'], 'Login of the REST API is missing'],
    'an unknown response': [(body) => (responses(body).TEAPOT = {}), 'the gateway response TEAPOT is not known'],
    'a field of a response': [(body) => (responses(body).THROTTLED = { StatusCode: 429 }), 'THROTTLED.StatusCode'],
    'another version': [(body) => (body.openapi = '3.1.0'), 'OpenAPI 3.0'],
  };

  it.each(Object.entries(cases))('%s', (_, [break_, message]) => {
    const template = apiTemplate({ 'GET /a/{b}': { function: 'f', login: true } });
    const read = () => readGatewayResponses(readRestApi(template).responses);
    expect(read).not.toThrow();
    break_(template.ofType('AWS::ApiGateway::RestApi')[0]?.properties.Body as Part);
    expect(read).toThrow(message);
  });

  it('no body', () => {
    const template = apiTemplate({});
    delete template.ofType('AWS::ApiGateway::RestApi')[0]?.properties.Body;
    expect(() => readRestApi(template)).toThrow('its body of the REST API is missing');
  });
});
