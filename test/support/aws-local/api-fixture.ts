import type { Resource, Template } from '../../aws-local/template/template.ts';

const arn = (name: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

/** The methods of an API by path: `'GET /a/{b}': { function, … }`. */
export type Methods = Record<string, { function: string; login?: boolean; stream?: boolean; timeoutMs?: number }>;

/**
 * A template with one REST API of these methods, an authorizer function `authorize`, and responses of the gateway.
 *
 * @param options.denied the functions that the API may not invoke
 */
export function apiTemplate(
  methods: Methods,
  { responses = {}, denied = [] }: { responses?: Readonly<Record<string, object>>; denied?: readonly string[] } = {},
): Template {
  const resources = new Map<string, Resource>();
  const add = (logicalId: string, type: string, properties: object): void => {
    resources.set(logicalId, { logicalId, type: `AWS::${type}`, properties: { ...properties } });
  };
  const allow = (name: string, source: string): void => {
    if (denied.includes(name)) return;
    add(`${name} ${source}`, 'Lambda::Permission', {
      Action: 'lambda:InvokeFunction',
      FunctionName: arn(name),
      Principal: 'apigateway.amazonaws.com',
      SourceArn: `arn:aws:execute-api:us-east-1:000000000000:Api/${source}`,
    });
  };
  add('Api', 'ApiGateway::RestApi', {
    Body: {
      openapi: '3.0.1',
      info: { title: 'Api', version: '1' },
      paths: pathsOf(methods),
      components: { securitySchemes: { Login: loginScheme(uri('authorize')) } },
      'x-amazon-apigateway-gateway-responses': responses,
    },
  });
  add('Stage', 'ApiGateway::Stage', { StageName: 'prod' });
  for (const method of Object.values(methods)) allow(method.function, '*/*/*');
  allow('authorize', 'authorizers/Login');
  return { resources, ofType: (type) => [...resources.values()].filter((one) => one.type === type), outputs: {} };
}

/** A security scheme of an authorizer that is asked for every request. */
export function loginScheme(authorizerUri: unknown): object {
  return {
    ...{ type: 'apiKey', name: 'Unused', in: 'header', 'x-amazon-apigateway-authtype': 'custom' },
    'x-amazon-apigateway-authorizer': { type: 'request', authorizerUri, authorizerResultTtlInSeconds: 0 },
  };
}

function pathsOf(methods: Methods): Record<string, Record<string, object>> {
  const paths: Record<string, Record<string, object>> = {};
  for (const [key, { function: name, login = false, stream = false, timeoutMs }] of Object.entries(methods)) {
    const [httpMethod = '', path = '/'] = key.split(' ');
    const item = httpMethod === 'ANY' ? 'x-amazon-apigateway-any-method' : httpMethod.toLowerCase();
    paths[path] = {
      ...paths[path],
      [item]: {
        parameters: [...path.matchAll(/\{([^}]+)\}/g)].map(([, one]) => ({ name: one, in: 'path', required: true })),
        responses: {},
        ...(login && { security: [{ Login: [] }] }),
        'x-amazon-apigateway-integration': {
          type: 'aws_proxy',
          httpMethod: 'POST',
          uri: uri(name, stream ? 'response-streaming-invocations' : 'invocations'),
          ...(stream && { responseTransferMode: 'STREAM' }),
          ...(timeoutMs !== undefined && { timeoutInMillis: timeoutMs }),
        },
      },
    };
  }
  return paths;
}

function uri(name: string, action = 'invocations'): string {
  return `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn(name)}/${action}`;
}
