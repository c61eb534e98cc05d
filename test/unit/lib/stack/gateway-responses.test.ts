import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { major, valid } from 'semver';
import { describe, expect, it } from 'vitest';
import { errors } from '../../../../functions/core/errors.ts';
import { resolve } from '../../../../lib/aws-local/template/intrinsics.ts';
import packageJson from '../../../../package.json' with { type: 'json' };
import { serviceTemplate } from '../../../support/service-template.ts';

const { template, ofType } = serviceTemplate();
const responses = ofType('AWS::ApiGateway::GatewayResponse').map(({ properties }) => ({
  type: properties.ResponseType,
  statusCode: properties.StatusCode,
  headers: properties.ResponseParameters,
  templates: properties.ResponseTemplates,
  body: JSON.parse(withBase(properties.ResponseTemplates['application/json'])),
}));

/** A template as text, with `{base}` where CloudFormation puts the base address. */
function withBase(template: { 'Fn::Join': [string, unknown[]] }): string {
  const parts = template['Fn::Join'][1];
  return parts.map((part) => (typeof part === 'string' ? part : '{base}')).join('');
}

function response(type: string) {
  const found = responses.find((one) => one.type === type);
  if (!found) throw new Error(`Nothing is said of ${type}.`);
  return found;
}

const types = responses.map(({ type }) => type);
const defaults = ['DEFAULT_4XX', 'DEFAULT_5XX'];
const fixed = types.filter((type) => type !== 'ACCESS_DENIED');

it('Every response type of the gateway is configured', () => {
  const all = Object.values(ResponseType).flatMap((type) => (type instanceof ResponseType ? [type.responseType] : []));
  expect(types.sort()).toEqual(all.sort());
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
    expect(body).toMatchObject({ title: row.title, status: row.status, type: `{base}/errors#${body.code}` });
    // The status of the two defaults is the gateway's own choice; one set here would overrule it.
    expect(statusCode).toBe(defaults.includes(type) ? undefined : String(row.status));
  });
});

it('The base address in `type` is that of the stage or of PublicUrl, without a trailing slash', () => {
  const { templates } = response('ACCESS_DENIED');
  const [, address] = templates['application/json']['Fn::Join'][1];
  const [condition, given, otherwise] = address['Fn::If'];
  expect(template.findConditions(condition)[condition]).toEqual({
    'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'PublicUrl' }, ''] }],
  });
  expect(otherwise).toBe('https://$context.domainName/$context.stage');
  const resolved = (PublicUrl: string) =>
    resolve(given, { ref: () => PublicUrl, getAtt: () => null, condition: () => true, mapping: () => null });
  expect(resolved('https://deploy.example.com/')).toBe('https://deploy.example.com');
  expect(resolved('https://deploy.example.com/hooks')).toBe('https://deploy.example.com/hooks');
});

describe('the gateway’s response to a refused login', () => {
  it('has code, title and detail of the authorizer’s context', () => {
    const { body, statusCode } = response('ACCESS_DENIED');
    expect(statusCode).toBe('401');
    expect(body).toMatchObject({
      type: '{base}/errors#$context.authorizer.code',
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
    expect(response('AUTHORIZER_FAILURE').statusCode).toBe('500');
  });
});

it('An unknown path is 404, even when the gateway takes credentials for a malformed AWS signature', () => {
  for (const type of ['MISSING_AUTHENTICATION_TOKEN', 'INVALID_SIGNATURE']) {
    expect(response(type)).toMatchObject({ statusCode: '404', body: { code: 'request:not_found' } });
  }
});

it('A throttled request has Retry-After', () => {
  const { headers, statusCode } = response('THROTTLED');
  expect(statusCode).toBe('429');
  expect(headers['gatewayresponse.header.Retry-After']).toBe("'5'");
});

it('The API’s version is semantic, and its major version is the first segment of the paths', () => {
  expect(valid(packageJson.version)).toBe(packageJson.version);
  expect(major(packageJson.version)).toBe(1);
});
