import { Aws } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type Route, routes } from '../../../functions/api/routes.ts';
import { version } from '../../../functions/core/version.ts';
import { gatewayResponses } from './gateway-responses.ts';

/** A streamed answer times out after 15 minutes, which is also Lambda's limit; another one after 29 seconds. */
export const STREAM_TIMEOUT_SECONDS = 900;

/**
 * The API as API Gateway imports it: each route with its function, its path's other methods with `api-unknown`, one
 * authorizer, and the gateway's own responses. Paths that are not known at all are answered by the gateway, which bills
 * nothing.
 *
 * @param named returns a function of the API
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
export function apiDefinition(named: (name: string) => IFunction): object {
  const paths = [...new Set(routes.map(({ path }) => path))];
  return {
    openapi: '3.0.1',
    info: { title: Aws.STACK_NAME, description: 'Push to deploy', version },
    paths: Object.fromEntries(paths.map((path) => [path, operations(path, named)])),
    components: { securitySchemes: { login: login(named('authorize')) } },
    'x-amazon-apigateway-gateway-responses': gatewayResponses(),
  };
}

function operations(path: string, named: (name: string) => IFunction): object {
  const parameters = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
  const operation = ({ function: name, streams, login }: Omit<Route, 'needs'>) => ({
    parameters,
    responses: {},
    ...(login !== 'none' && { security: [{ login: [] }] }),
    'x-amazon-apigateway-integration': integration(named(name), streams),
  });
  const others = { method: 'x-amazon-apigateway-any-method', path, function: 'api-unknown', login: 'none' } as const;
  const answered = [...routes.filter((route) => route.path === path), others];
  return Object.fromEntries(answered.map((route) => [route.method.toLowerCase(), operation(route)]));
}

function integration(called: IFunction, streams: Route['streams']): object {
  const invoked = { type: 'aws_proxy', httpMethod: 'POST', uri: invocation(called, streams) };
  return streams
    ? { ...invoked, responseTransferMode: 'STREAM', timeoutInMillis: STREAM_TIMEOUT_SECONDS * 1000 }
    : invoked;
}

/**
 * No identity source and no cache, so that it runs for every request: only its refusal can carry `WWW-Authenticate`
 * when credentials are missing, and a cached policy would apply to other paths too.
 */
function login(authorize: IFunction): object {
  return {
    type: 'apiKey',
    name: 'Authorization',
    in: 'header',
    'x-amazon-apigateway-authtype': 'custom',
    'x-amazon-apigateway-authorizer': {
      type: 'request',
      authorizerUri: invocation(authorize),
      authorizerResultTtlInSeconds: 0,
    },
  };
}

function invocation({ functionArn }: IFunction, streams?: Route['streams']): string {
  const [api, action] = streams ? ['2021-11-15', 'response-streaming-invocations'] : ['2015-03-31', 'invocations'];
  return `arn:${Aws.PARTITION}:apigateway:${Aws.REGION}:lambda:path/${api}/functions/${functionArn}/${action}`;
}
