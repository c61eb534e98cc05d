import { OperatorError } from '../../../lib/files/errors.ts';
import { executeApiArn } from '../arn.ts';
import { isRecord, recordOf } from '../template/intrinsics.ts';
import { localAddresses } from '../template/stack.ts';
import type { Template } from '../template/template.ts';
import type { Called } from './authorizer.ts';
import type { Integration } from './handle-request.ts';

/** One method of the REST API; its ARN is the same whatever the values in the path are. */
export interface Method extends Integration {
  readonly resourceId: string;
  /** As declared, e.g. `/orders/{id}`. */
  readonly resourcePath: string;
  /** As declared: a method's name or `ANY`. */
  readonly httpMethod: string;
  readonly stream: boolean;
  readonly authorizer?: Called;
}

/** The REST API of the template, without its deployment. */
export interface RestApi {
  readonly apiId: string;
  readonly stage: string;
  /** Null without any, as in events. */
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly methods: readonly Method[];
  /** The definition's responses of the gateway itself, by type. */
  readonly responses: Readonly<Record<string, unknown>>;
}

type Fields = Readonly<Record<string, unknown>>;

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const DEFAULT_TIMEOUT_MS = 29_000;
const LONGEST_STREAM_MS = 900_000;

const HTTP_METHODS = ['get', 'put', 'post', 'delete', 'head', 'options', 'patch'];
const ANY = 'x-amazon-apigateway-any-method';
const INTEGRATION = 'x-amazon-apigateway-integration';
const AUTHORIZER = 'x-amazon-apigateway-authorizer';
const RESPONSES = 'x-amazon-apigateway-gateway-responses';

/**
 * Reads the one `AWS::ApiGateway::RestApi` of a template, which its body defines as OpenAPI with API Gateway's extensions.
 *
 * @throws OperatorError when there is not exactly one, and for what this gateway cannot serve or does not know: also a
 *   field that API Gateway would ignore, because it is a mistake
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/api-gateway-swagger-extensions.html
 */
export function readRestApi(template: Template): RestApi {
  const apis = template.ofType('AWS::ApiGateway::RestApi');
  const [api] = apis;
  if (!api || apis.length > 1) {
    const ids = apis.map(({ logicalId }) => logicalId).join(', ') || 'none';
    throw new OperatorError(`the template must have exactly one REST API to be served here; it has ${ids}`);
  }
  const { StageName: stage, Variables: variables } = template.ofType('AWS::ApiGateway::Stage')[0]?.properties ?? {};
  if (api.properties.BinaryMediaTypes !== undefined) throw new OperatorError('binary media types are not emulated');
  const body = known(api.properties.Body, 'its body', ['openapi', 'info', 'paths', 'components', RESPONSES]);
  if (!String(body.openapi).startsWith('3.0.')) throw new OperatorError('the body of a REST API is OpenAPI 3.0');
  const place = { apiId: api.logicalId, stage: typeof stage === 'string' ? stage : 'local' };
  const schemes = recordOf(known(body.components ?? {}, 'components', ['securitySchemes']).securitySchemes);
  const authorizers = new Map(Object.entries(schemes).map(([name, one]) => [name, readAuthorizer(place, name, one)]));
  return {
    ...place,
    stageVariables: isRecord(variables) ? texts(variables) : null,
    methods: Object.entries(recordOf(body.paths)).flatMap(([path, item]) =>
      Object.entries(known(item, path, [...HTTP_METHODS, ANY])).map(([name, operation]) =>
        readMethod({ ...place, path, name, authorizers }, operation),
      ),
    ),
    responses: recordOf(body[RESPONSES]),
  };
}

/** Returns the fields of a part of the body, of which there are no others than these. */
function known(part: unknown, where: string, names: readonly string[]): Fields {
  if (!isRecord(part)) throw new OperatorError(`${where} of the REST API is missing`);
  const other = Object.keys(part).find((name) => !names.includes(name));
  if (other !== undefined) throw new OperatorError(`${where}: ${other} is not emulated`);
  return part;
}

/**
 * Returns the stage's variables for a request to this host. The address of the API itself, which is known to nobody
 * before it is served, becomes the one that the request was sent to.
 */
export function variablesFor({ apiId, stageVariables }: RestApi, host: string): RestApi['stageVariables'] {
  const values = localAddresses(stageVariables, { [apiId]: host });
  return isRecord(values) ? texts(values) : null;
}

function texts(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
}

interface Declared extends Pick<RestApi, 'apiId' | 'stage'> {
  readonly path: string;
  /** As in the definition: `get`. */
  readonly name: string;
  readonly authorizers: ReadonlyMap<string, Called>;
}

function readMethod({ apiId, stage, path, name, authorizers }: Declared, declared: unknown): Method {
  const httpMethod = name === ANY ? 'ANY' : name.toUpperCase();
  const where = `${httpMethod} ${path}`;
  const operation = known(declared, where, ['parameters', 'responses', 'security', INTEGRATION]);
  checkParameters(where, path, operation.parameters);
  const authorizer = authorizerOf(where, operation.security, authorizers);
  return {
    resourceId: path,
    resourcePath: path,
    httpMethod,
    ...readIntegration(where, operation[INTEGRATION]),
    sourceArn: executeApiArn(apiId, `${stage}/${httpMethod}${path}`),
    ...(authorizer ? { authorizer } : {}),
  };
}

function readIntegration(where: string, declared: unknown): Pick<Method, 'functionName' | 'stream' | 'timeoutMs'> {
  const names = ['type', 'httpMethod', 'uri', 'responseTransferMode', 'timeoutInMillis'];
  const { type, httpMethod, uri, ...more } = known(declared, `the integration of ${where}`, names);
  if (type !== 'aws_proxy' || httpMethod !== 'POST') {
    throw new OperatorError(`${where}: only aws_proxy integrations by POST run locally, not ${type} by ${httpMethod}`);
  }
  const { responseTransferMode: mode = 'BUFFERED', timeoutInMillis: timeoutMs = DEFAULT_TIMEOUT_MS } = more;
  const stream = mode === 'STREAM';
  if (stream !== String(uri).endsWith('/response-streaming-invocations')) {
    throw new OperatorError(`${where}: an answer of the mode ${mode} does not come from ${String(uri)}`);
  }
  const longest = stream ? LONGEST_STREAM_MS : DEFAULT_TIMEOUT_MS;
  if (typeof timeoutMs !== 'number' || timeoutMs < 50 || timeoutMs > longest) {
    throw new OperatorError(`${where}: a timeout is between 50 and ${longest} ms, not ${timeoutMs}`);
  }
  return { functionName: functionOf(uri, where), stream, timeoutMs };
}

function checkParameters(where: string, path: string, declared: unknown): void {
  const parameters = (Array.isArray(declared) ? declared : []).filter(isRecord);
  const names = parameters.filter((one) => one.in === 'path' && one.required === true).map((one) => one.name);
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
  if (names.length < parameters.length || names.sort().join() !== inPath.sort().join()) {
    throw new OperatorError(`${where}: its parameters are not those of the path`);
  }
}

function authorizerOf(where: string, security: unknown, authorizers: Declared['authorizers']): Called | undefined {
  if (security === undefined) return undefined;
  const [name = '', ...others] = Array.isArray(security) ? security.flatMap((one) => Object.keys(recordOf(one))) : [];
  const authorizer = authorizers.get(name);
  if (!authorizer || others.length > 0) throw new OperatorError(`${where}: its security is not one known scheme`);
  return authorizer;
}

function readAuthorizer({ apiId }: Pick<RestApi, 'apiId'>, name: string, declared: unknown): Called {
  const scheme = known(declared, name, ['type', 'name', 'in', 'x-amazon-apigateway-authtype', AUTHORIZER]);
  const names = ['type', 'authorizerUri', 'authorizerResultTtlInSeconds'];
  const { type, authorizerUri, authorizerResultTtlInSeconds: ttl } = known(scheme[AUTHORIZER], name, names);
  if (
    scheme.type !== 'apiKey' ||
    scheme['x-amazon-apigateway-authtype'] !== 'custom' ||
    type !== 'request' ||
    ttl !== 0
  ) {
    throw new OperatorError(`${name}: only a custom authorizer of the type request and without a cache runs locally`);
  }
  return { functionName: functionOf(authorizerUri, name), sourceArn: executeApiArn(apiId, `authorizers/${name}`) };
}

/**
 * Returns the name of the function in `arn:…:lambda:path/…/functions/<function ARN>/invocations`; a version or alias is
 * ignored.
 */
export function functionOf(uri: unknown, logicalId: string): string {
  const [, name] = /\/functions\/arn:[^:]+:lambda:[^:]*:[^:]*:function:([^:/]+)/.exec(String(uri)) ?? [];
  if (name === undefined) throw new OperatorError(`${logicalId}: ${String(uri)} does not name a function`);
  return name;
}
