import { OperatorError } from '../../../lib/files/errors.ts';
import { executeApiArn } from '../arn.ts';
import { isRecord, recordOf } from '../template/intrinsics.ts';
import { rootResourceId } from '../template/physical-ids.ts';
import { localAddresses } from '../template/stack.ts';
import type { Resource, Template } from '../template/template.ts';

/** One method of the REST API and its integration. */
export interface Method {
  readonly resourceId: string;
  /** As declared, e.g. `/orders/{id}`. */
  readonly resourcePath: string;
  /** As declared: a method's name or `ANY`. */
  readonly httpMethod: string;
  readonly functionName: string;
  /** The ARN for which the API invokes the function, whatever the values in the path are. */
  readonly sourceArn: string;
  readonly stream: boolean;
  readonly timeoutMs: number;
  /** The function of its authorizer, and the ARN for which that is invoked. */
  readonly authorizer?: Pick<Method, 'functionName' | 'sourceArn'>;
}

/** The REST API of the template, without its deployment and stage. */
export interface RestApi {
  readonly apiId: string;
  readonly stage: string;
  /** Null without any, as in events. */
  readonly stageVariables: Readonly<Record<string, string>> | null;
  readonly methods: readonly Method[];
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html
const DEFAULT_TIMEOUT_MS = 29_000;

/**
 * Reads the one `AWS::ApiGateway::RestApi` of a template with its methods.
 *
 * @throws OperatorError when there is not exactly one, and for what this gateway cannot serve: other integrations than
 *   AWS_PROXY, other authorizations than NONE and a REQUEST authorizer
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
  const place = { apiId: api.logicalId, stage: typeof stage === 'string' ? stage : 'local' };
  return {
    ...place,
    stageVariables: isRecord(variables) ? texts(variables) : null,
    methods: template.ofType('AWS::ApiGateway::Method').map((method) => readMethod(template, place, method)),
  };
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

function readMethod(
  template: Template,
  { apiId, stage }: Pick<RestApi, 'apiId' | 'stage'>,
  { logicalId, properties }: Resource,
): Method {
  const integration = recordOf(properties.Integration);
  if (integration.Type !== 'AWS_PROXY') {
    throw new OperatorError(`method ${logicalId}: only AWS_PROXY integrations run locally, not ${integration.Type}`);
  }
  const authorizer = readAuthorizer(template, apiId, { logicalId, properties });
  const resourceId = String(properties.ResourceId);
  const httpMethod = String(properties.HttpMethod);
  const path = resourcePath(template, apiId, resourceId);
  return {
    resourceId,
    resourcePath: path,
    httpMethod,
    functionName: functionOf(integration.Uri, logicalId),
    sourceArn: executeApiArn(apiId, `${stage}/${httpMethod}${path}`),
    stream: String(integration.Uri).endsWith('/response-streaming-invocations'),
    timeoutMs: Number(integration.TimeoutInMillis ?? DEFAULT_TIMEOUT_MS),
    ...(authorizer ? { authorizer } : {}),
  };
}

function readAuthorizer(
  template: Template,
  apiId: string,
  { logicalId: method, properties }: Pick<Resource, 'logicalId' | 'properties'>,
): Method['authorizer'] {
  const { AuthorizationType: type = 'NONE', AuthorizerId: id } = properties;
  if (type === 'NONE') return undefined;
  const authorizer = template.resources.get(String(id));
  if (type !== 'CUSTOM' || authorizer?.properties.Type !== 'REQUEST') {
    throw new OperatorError(`method ${method}: only a REQUEST authorizer runs locally, not ${String(type)}`);
  }
  if (authorizer.properties.IdentitySource) {
    throw new OperatorError(`authorizer ${authorizer.logicalId}: identity sources are not emulated`);
  }
  const functionName = functionOf(authorizer.properties.AuthorizerUri, authorizer.logicalId);
  return { functionName, sourceArn: executeApiArn(apiId, `authorizers/${authorizer.logicalId}`) };
}

function resourcePath(template: Template, apiId: string, resourceId: string): string {
  const parts: string[] = [];
  for (let id = resourceId; id !== rootResourceId(apiId); ) {
    const resource = template.resources.get(id);
    if (resource?.type !== 'AWS::ApiGateway::Resource') {
      throw new OperatorError(`API resource ${resourceId} is not below the root of ${apiId}`);
    }
    parts.unshift(String(resource.properties.PathPart));
    id = String(resource.properties.ParentId);
  }
  return `/${parts.join('/')}`;
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
