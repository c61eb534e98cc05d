import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { routes } from '../../../../functions/api/routes.ts';
import { serviceTemplate, target } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const functions = new Map(ofType('AWS::Lambda::Function').map((one) => [one.id, one.properties.Description]));
const [rest] = ofType('AWS::ApiGateway::RestApi');
const body = rest?.properties.Body;

/** An operation of the definition, with as much of its shape as the tests read. */
interface Operation {
  readonly security?: readonly object[];
  readonly 'x-amazon-apigateway-integration': {
    readonly uri: { readonly 'Fn::Join': readonly [string, readonly unknown[]] };
    readonly responseTransferMode?: string;
    readonly timeoutInMillis?: number;
  };
}

const methods = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([name, operation]) => {
    const integration = operation['x-amazon-apigateway-integration'];
    const method = name === 'x-amazon-apigateway-any-method' ? 'ANY' : name.toUpperCase();
    const called = functions.get(target(integration.uri['Fn::Join'][1].find(isFunction)));
    return { method, path, function: called, security: operation.security, integration };
  }),
);

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
      expect(one.security, `${one.method} ${one.path}`).toEqual(login === 'none' ? undefined : [{ login: [] }]);
    }
  });

  it('stream their response exactly where a route is a stream, for up to 15 minutes', () => {
    for (const { method, path, integration } of known) {
      const route = routes.find((one) => one.path === path && one.method === method);
      const { responseTransferMode: mode, timeoutInMillis: timeout, uri } = integration;
      expect(mode ?? 'BUFFERED', route?.path).toBe(route?.streams ? 'STREAM' : 'BUFFERED');
      if (!route?.streams) continue;
      expect(timeout).toBe(900_000);
      expect(JSON.stringify(uri)).toContain('/response-streaming-invocations');
    }
  });

  it('answer the other methods of their paths without a login; no other path is in the API', () => {
    const others = methods.filter(({ method }) => method === 'ANY');
    expect(others.map(({ path }) => path).sort()).toEqual([...new Set(known.map(({ path }) => path))].sort());
    for (const one of others) expect(one).toMatchObject({ function: 'api-unknown', security: undefined });
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
    expect(body.components.securitySchemes.login['x-amazon-apigateway-authorizer']).toEqual({
      type: 'request',
      authorizerResultTtlInSeconds: 0,
      authorizerUri: expect.anything(),
    });
  });
});

describe('the gateway', () => {
  it('is regional and passes bodies on as text', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      // What is imported over an API would make it one of the edge without this.
      Parameters: { endpointConfigurationTypes: 'REGIONAL' },
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

  it('forgets an endpoint that a later version does not have any more', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', { Mode: 'overwrite' });
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
