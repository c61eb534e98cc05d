import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { major, valid } from 'semver';
import { describe, expect, it } from 'vitest';
import { errors } from '../../../../functions/core/errors.ts';
import { restApi } from '../../../../lib/stack/api/gateway.ts';
import { parameters } from '../../../../lib/stack/parameters.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { resolve } from '../../../aws-local/template/intrinsics.ts';
import { serviceTemplate } from '../../../support/template/service-template.ts';

const { template, ofType } = serviceTemplate();
const [api] = ofType('AWS::ApiGateway::RestApi');
const definition = api?.properties.Body;

/** A response of the definition. */
interface Declared {
  readonly statusCode?: number;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: Readonly<Record<string, string>>;
}

const declared = Object.entries<Declared>(definition['x-amazon-apigateway-gateway-responses']);
const responses = declared.map(([type, { statusCode, responseParameters: headers, responseTemplates: templates }]) => {
  return { type, statusCode, headers, templates, body: JSON.parse(templates['application/json'] ?? '') };
});

function response(type: string) {
  const found = responses.find((one) => one.type === type);
  if (!found) throw new Error(`Nothing is said of ${type}.`);
  return found;
}

const types = responses.map(({ type }) => type);
const defaults = ['DEFAULT_4XX', 'DEFAULT_5XX'];
const fixed = types.filter((type) => type !== 'ACCESS_DENIED');

/** Given by usage plans, validators of requests and mappings of bodies, of which this API has none. */
const never = [
  'BAD_REQUEST_BODY',
  'BAD_REQUEST_PARAMETERS',
  'INVALID_API_KEY',
  'QUOTA_EXCEEDED',
  'UNSUPPORTED_MEDIA_TYPE',
];
/** Has the status and the text of the default. */
const asDefault = ['API_CONFIGURATION_ERROR'];

it('Every response type that the gateway can give is configured', () => {
  const all = Object.values(ResponseType).flatMap((type) => (type instanceof ResponseType ? [type.responseType] : []));
  expect([...types, ...never, ...asDefault].sort()).toEqual(all.sort());
  const operations = Object.values<object>(definition.paths).flatMap((path) => Object.values(path));
  const kinds = operations.map((operation) => operation['x-amazon-apigateway-integration'].type);
  expect(new Set(kinds)).toEqual(new Set(['aws_proxy']));
  expect(JSON.stringify(definition)).not.toMatch(/validator|api-key/);
});

describe.each(types)('%s', (type) => {
  const { headers, body, templates } = response(type);

  it('has the request’s id and the API’s version', () => {
    expect(headers['gatewayresponse.header.x-api-uuid']).toBe('context.requestId');
    expect(headers['gatewayresponse.header.x-api-version']).toBe(`'${packageJson.version}'`);
  });

  it('is a problem document, whatever the client accepts', () => {
    expect(headers['gatewayresponse.header.Content-Type']).toBe("'application/problem+json'");
    expect(Object.keys(templates)).toEqual(['application/json']);
    expect(Object.keys(body)).toEqual(['type', 'title', 'status', 'code', 'detail', 'uuid']);
    expect(body.uuid).toBe('$context.requestId');
  });
});

describe.each(fixed)('%s', (type) => {
  const { body, statusCode } = response(type);

  it('has code, status and title of functions/core/errors.ts', () => {
    const row = errors[body.code as keyof typeof errors];
    expect(body).toMatchObject({
      title: row.title,
      status: row.status,
      type: `$stageVariables.baseUrl/errors#${body.code}`,
    });
    // The status of the two defaults is the gateway's own choice; one set here would overrule it.
    expect(statusCode).toBe(defaults.includes(type) ? undefined : row.status);
  });
});

describe('the base address in `type`', () => {
  const [stage] = ofType('AWS::ApiGateway::Stage');
  const [condition, given, otherwise] = stage?.properties.Variables.baseUrl['Fn::If'] ?? [];
  const resolved = (PublicUrl: string) =>
    resolve(given, { ref: () => PublicUrl, getAtt: () => null, condition: () => true });

  it('is PublicUrl without a trailing slash, or else the address of the stage', () => {
    expect(template.findConditions(condition)[condition]).toEqual({
      'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'PublicUrl' }, ''] }],
    });
    expect(resolved('https://deploy.example.com/')).toBe('https://deploy.example.com');
    expect(resolved('https://deploy.example.com/hooks')).toBe('https://deploy.example.com/hooks');
    const names: Record<string, string> = { 'AWS::Region': 'eu-north-1', 'AWS::URLSuffix': 'amazonaws.com' };
    const ref = (name: string) => names[name] ?? 'a1b2c3';
    const own = resolve(otherwise, { ref, getAtt: () => null, condition: () => false });
    expect(own).toBe('https://a1b2c3.execute-api.eu-north-1.amazonaws.com/live');
  });

  it('is refused by CloudFormation when no variable of a stage could hold it', () => {
    const allowed = new RegExp(`^(?:${template.toJSON().Parameters.PublicUrl.AllowedPattern})$`);
    for (const address of ['', 'https://deploy.example.com/hooks/', 'http://127.0.0.1:8080']) {
      expect(address).toMatch(allowed);
      expect(address).toMatch(/^[A-Za-z0-9-._~:/?#&=,]*$/);
    }
    for (const address of ['deploy.example.com', 'https://a b', 'https://$context.stage', 'https://a.example|']) {
      expect(address).not.toMatch(allowed);
    }
  });
});

describe('what the gateway knows by its deployment', () => {
  it('depends on no parameter: a change of one makes no new deployment, and would not arrive', () => {
    const { Parameters, Conditions } = template.toJSON();
    const known = [...Object.keys(Parameters), ...Object.keys(Conditions)];
    expect(known).toContain('PublicUrl');
    const used = [...JSON.stringify(api).matchAll(/"(?:Ref":|Fn::If":\[)"([^"]+)"/g)].map(([, name]) => name);
    expect(used).toContain('AWS::Region');
    expect(used.filter((name) => known.includes(name ?? ''))).toEqual([]);
  });

  it('is deployed when each function may be called, so that no request of an update is refused', () => {
    const [deployment] = Object.values(template.findResources('AWS::ApiGateway::Deployment'));
    const permissions = ofType('AWS::Lambda::Permission').filter(({ id }) => /^Api.*RestMayCall/.test(id));
    expect(permissions.length).toBeGreaterThan(10);
    expect(deployment?.DependsOn).toEqual(expect.arrayContaining(permissions.map(({ id }) => id)));
  });

  it('is deployed anew when the definition changes', () => {
    const deploymentId = (text: string) => {
      const stack = new Stack();
      restApi(stack, { openapi: '3.0.1', text }, parameters(stack));
      return Object.keys(Template.fromStack(stack).findResources('AWS::ApiGateway::Deployment'));
    };
    expect(deploymentId('{"a":1}')).toEqual(deploymentId('{"a":1}'));
    expect(deploymentId('{"a":1}')).not.toEqual(deploymentId('{"a":2}'));
  });
});

describe('the gateway’s response to a refused login', () => {
  it('has code, title and detail of the authorizer’s context', () => {
    const { body, statusCode } = response('ACCESS_DENIED');
    expect(statusCode).toBe(401);
    expect(body).toMatchObject({
      type: '$stageVariables.baseUrl/errors#$context.authorizer.code',
      title: '$context.authorizer.title',
      status: 401,
      code: '$context.authorizer.code',
      detail: '$context.authorizer.detail',
    });
  });

  it('is the only response that asks for Basic credentials', () => {
    const challenged = responses.filter(({ headers }) => 'gatewayresponse.header.WWW-Authenticate' in headers);
    expect(challenged.map(({ type }) => type).sort()).toEqual(['ACCESS_DENIED', 'UNAUTHORIZED']);
    for (const { headers } of challenged) {
      expect(headers['gatewayresponse.header.WWW-Authenticate']).toBe(
        `'Basic realm="deployment-webhooks", charset="UTF-8"'`,
      );
    }
  });

  it('is a 500 when the authorizer fails', () => {
    expect(response('AUTHORIZER_FAILURE').body.code).toBe('mw:auth:auth_server_down');
    expect(response('AUTHORIZER_FAILURE').statusCode).toBe(500);
  });
});

it('An unknown path is 404, even when the gateway takes credentials for a malformed AWS signature', () => {
  for (const type of ['MISSING_AUTHENTICATION_TOKEN', 'INVALID_SIGNATURE']) {
    expect(response(type)).toMatchObject({ statusCode: 404, body: { code: 'request:not_found' } });
  }
});

it('A throttled request has Retry-After', () => {
  const { headers, statusCode } = response('THROTTLED');
  expect(statusCode).toBe(429);
  expect(headers['gatewayresponse.header.Retry-After']).toBe("'5'");
});

it('The API’s version is semantic, and its major version is the first segment of the paths', () => {
  expect(valid(packageJson.version)).toBe(packageJson.version);
  expect(major(packageJson.version)).toBe(1);
});
