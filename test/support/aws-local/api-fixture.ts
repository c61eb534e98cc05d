import type { Resource, Template } from '../../aws-local/template/template.ts';

const arn = (name: string): string => `arn:aws:lambda:us-east-1:000000000000:function:${name}`;

/** The methods of an API by path: `'GET /a/{b}': { function, … }`. */
export type Methods = Record<string, { function: string; login?: boolean; stream?: boolean; timeoutMs?: number }>;

/**
 * A template with one REST API of these methods, an authorizer function `authorize`, and more resources.
 *
 * @param options.denied the functions that the API may not invoke
 */
export function apiTemplate(
  methods: Methods,
  { responses = [], denied = [] }: { responses?: object[]; denied?: readonly string[] } = {},
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
  add('Api', 'ApiGateway::RestApi', {});
  add('Stage', 'ApiGateway::Stage', { StageName: 'prod' });
  add('Login', 'ApiGateway::Authorizer', {
    Type: 'REQUEST',
    AuthorizerUri: `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn('authorize')}/invocations`,
  });
  for (const [key, method] of Object.entries(methods)) {
    addMethod(add, key, method);
    allow(method.function, '*/*/*');
  }
  allow('authorize', 'authorizers/Login');
  responses.forEach((response, index) => {
    add(`Response${index}`, 'ApiGateway::GatewayResponse', response);
  });
  return { resources, ofType: (type) => [...resources.values()].filter((one) => one.type === type), outputs: {} };
}

function addMethod(
  add: (logicalId: string, type: string, properties: object) => void,
  key: string,
  { function: name, login = false, stream = false, timeoutMs }: Methods[string],
): void {
  const [httpMethod, path = '/'] = key.split(' ');
  let parent = 'Api-root';
  for (const part of path.split('/').filter(Boolean)) {
    const id = `${parent}/${part}`;
    add(id, 'ApiGateway::Resource', { ParentId: parent, PathPart: part });
    parent = id;
  }
  const action = stream ? 'response-streaming-invocations' : 'invocations';
  add(`${key} method`, 'ApiGateway::Method', {
    ResourceId: parent,
    HttpMethod: httpMethod,
    AuthorizationType: login ? 'CUSTOM' : 'NONE',
    ...(login ? { AuthorizerId: 'Login' } : {}),
    Integration: {
      Type: 'AWS_PROXY',
      Uri: `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${arn(name)}/${action}`,
      ...(timeoutMs === undefined ? {} : { TimeoutInMillis: timeoutMs }),
    },
  });
}
