import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../../functions/api/routes.ts';
import { type Resource, serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const functions = new Map(ofType('AWS::Lambda::Function').map((one) => [one.id, one.properties.Description]));
const resources = new Map(ofType('AWS::ApiGateway::Resource').map((one) => [one.id, one.properties]));

function pathOf(reference: unknown): string {
  const resource = resources.get(target(reference));
  if (!resource) return '/';
  const parent = pathOf(resource.ParentId);
  return `${parent === '/' ? '' : parent}/${resource.PathPart}`;
}

const methods = ofType('AWS::ApiGateway::Method').map(({ properties }: Resource) => ({
  method: properties.HttpMethod,
  path: pathOf(properties.ResourceId),
  function: functions.get(target(properties.Integration.Uri['Fn::Join'][1].find(isFunction))),
  authorization: properties.AuthorizationType,
  authorizer: properties.AuthorizerId,
}));

function isFunction(part: unknown): boolean {
  return typeof part === 'object' && part !== null && 'Fn::GetAtt' in part && functions.has(target(part));
}

describe('the routes of the API', () => {
  const known = methods.filter(({ method }) => method !== 'ANY');

  it('are exactly those of functions/api/routes.ts', () => {
    const expected = routes.map((route) => `${route.method} ${route.path} → ${route.function}`);
    expect(known.map((one) => `${one.method} ${one.path} → ${one.function}`).sort()).toEqual(expected.sort());
  });

  it('have the authorizer exactly where a route requires a login', () => {
    for (const one of known) {
      const login = routes.find((route) => route.method === one.method && route.path === one.path)?.login;
      expect(one.authorization, `${one.method} ${one.path}`).toBe(login === 'none' ? 'NONE' : 'CUSTOM');
      expect(one.authorizer !== undefined).toBe(login !== 'none');
    }
  });

  it('stream their response exactly where a route is a stream, for up to 15 minutes', () => {
    for (const one of ofType('AWS::ApiGateway::Method').filter(({ properties }) => properties.HttpMethod !== 'ANY')) {
      const { HttpMethod: method, ResourceId: resource } = one.properties;
      const route = routes.find((known) => known.path === pathOf(resource) && known.method === method);
      const { ResponseTransferMode: mode, TimeoutInMillis: timeout, Uri: uri } = one.properties.Integration;
      expect(mode ?? 'BUFFERED', route?.path).toBe(route?.streams ? 'STREAM' : 'BUFFERED');
      if (!route?.streams) continue;
      expect(timeout).toBe(900_000);
      expect(JSON.stringify(uri)).toContain('/response-streaming-invocations');
    }
  });

  it('answer the other methods of their paths without a login; no other path is in the API', () => {
    const others = methods.filter(({ method }) => method === 'ANY');
    expect(others.map(({ path }) => path).sort()).toEqual([...new Set(known.map(({ path }) => path))].sort());
    for (const one of others) expect(one).toMatchObject({ function: 'api-unknown', authorization: 'NONE' });
  });

  it('invoke each function by one permission', () => {
    const invoked = ofType('AWS::Lambda::Permission')
      .filter(({ id, properties }) => properties.Principal === 'apigateway.amazonaws.com' && id.startsWith('Api'))
      .map(({ properties }) => functions.get(target(properties.FunctionName)));
    expect(invoked.sort()).toEqual([...new Set([...methods.map((one) => one.function), 'authorize'])].sort());
  });
});

describe('the authorizer', () => {
  it('runs for every request, even without credentials', () => {
    const [authorizer] = ofType('AWS::ApiGateway::Authorizer');
    expect(authorizer?.properties).toMatchObject({ Type: 'REQUEST', AuthorizerResultTtlInSeconds: 0 });
    expect(authorizer?.properties.IdentitySource ?? '').toBe('');
  });
});

describe('the gateway', () => {
  it('is regional and passes bodies on as text', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      BinaryMediaTypes: Match.absent(),
    });
  });

  it('limits the rate of requests and logs each as one line of JSON', () => {
    const [stage] = ofType('AWS::ApiGateway::Stage');
    expect(stage?.properties.MethodSettings).toEqual([
      expect.objectContaining({
        HttpMethod: '*',
        ResourcePath: '/*',
        ThrottlingRateLimit: 50,
        ThrottlingBurstLimit: 100,
      }),
    ]);
    const line = JSON.parse(stage?.properties.AccessLogSetting.Format);
    expect(line).toMatchObject({ uuid: '$context.requestId', status: '$context.status' });
  });

  it('logs neither headers nor queries, and has no data tracing', () => {
    const [stage] = ofType('AWS::ApiGateway::Stage');
    expect(stage?.properties.AccessLogSetting.Format).not.toMatch(/header|query|authorization|input/i);
    for (const settings of stage?.properties.MethodSettings ?? []) {
      expect(settings.DataTraceEnabled ?? false).toBe(false);
      expect(settings.LoggingLevel ?? 'OFF').toBe('OFF');
    }
  });

  it('may write logs in an account without a CloudWatch role for API Gateway', () => {
    template.resourceCountIs('AWS::ApiGateway::Account', 1);
  });
});

it('The origins of pages are a variable of the stage, which is in effect without a new deployment of the API', () => {
  const [stage] = ofType('AWS::ApiGateway::Stage');
  expect(stage?.properties.Variables.allowedOrigins).toEqual({
    'Fn::If': [expect.stringContaining('OriginsGiven'), { Ref: 'AllowedOrigins' }, { Ref: 'AWS::NoValue' }],
  });
  const { AllowedPattern = '' } = template.findParameters('AllowedOrigins').AllowedOrigins ?? {};
  const isAllowed = (text: string) => new RegExp(`^(?:${AllowedPattern})$`).test(text);
  expect(['', 'https://a.example', 'http://localhost:5173,https://a.example'].map(isAllowed)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['*', 'https://a.example/', 'a.example', 'https://a.example,'].map(isAllowed)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

describe('the memory of a function of the API', () => {
  it('gives a whole processor to what every sender waits for, mostly cold, and a part of one to the others', () => {
    const memory = (name: string) =>
      ofType('AWS::Lambda::Function').find(({ properties }) => properties.Description === name)?.properties.MemorySize;
    expect(['authorize', 'api-deploy', 'api-badge'].map(memory)).toEqual([1769, 1769, 512]);
  });
});
