import { describe, expect, it } from 'vitest';
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

  it('an API that this gateway cannot serve is refused', () => {
    const template = apiTemplate({ 'GET /': { function: 'f' } });
    const method = template.ofType('AWS::ApiGateway::Method')[0];
    if (method) method.properties.Integration = { Type: 'MOCK' };
    expect(() => readRestApi(template)).toThrow('only AWS_PROXY integrations run locally, not MOCK');
    const greedy = readRestApi(apiTemplate({ 'ANY /{proxy+}': { function: 'f' } }));
    expect(() => compileRoutes(greedy.methods)).toThrow('{proxy+} in a path is not emulated');
  });
});
