import type { Duplex } from 'node:stream';
import { OperatorError } from '../../../lib/files/errors.ts';
import { executeApiArn } from '../arn.ts';
import type { Backend, Called } from '../gateway/authorizer.ts';
import type { Integration } from '../gateway/handle-request.ts';
import { functionOf } from '../gateway/rest-api.ts';
import type { Guard } from '../permissions/guard.ts';
import { isRecord, listOf } from '../template/intrinsics.ts';
import type { Resource, Template } from '../template/template.ts';
import type { Connection, Limits } from './connection.ts';

/** One route; without an integration it has no effect. */
interface WebSocketRoute {
  readonly routeKey: string;
  readonly integration?: Integration;
  /** Whether the function's `body` is sent to the client. */
  readonly hasResponse: boolean;
}

/** The authorization of `$connect`: none, a signature with the local credentials, or an authorizer. */
export type Authorization = 'NONE' | 'AWS_IAM' | Called;

/** A WebSocket API of the template, without its deployments. */
export interface WebSocketApi {
  readonly apiId: string;
  readonly stage: string;
  readonly authorization: Authorization;
  readonly select: SelectRoute;
  readonly routes: ReadonlyMap<string, WebSocketRoute>;
}

// https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-execution-service-websocket-limits-table.html
const DEFAULT_TIMEOUT_MS = 29_000;

/** Returns the logical ids of the WebSocket APIs: each needs a port before the template's addresses are resolved. */
export function webSocketApiIds(template: Template): string[] {
  return template
    .ofType('AWS::ApiGatewayV2::Api')
    .filter(({ properties }) => properties.ProtocolType === 'WEBSOCKET')
    .map(({ logicalId }) => logicalId);
}

/**
 * Reads a WebSocket API with its routes.
 *
 * @throws OperatorError for what is not supported: integrations other than AWS_PROXY, API keys, authorizers other than
 *   REQUEST, a selection by anything but a field of the message
 */
export function readWebSocketApi(template: Template, apiId: string): WebSocketApi {
  const api = template.resources.get(apiId);
  const ofApi = (type: string): Resource[] =>
    template.ofType(`AWS::ApiGatewayV2::${type}`).filter(({ properties }) => properties.ApiId === apiId);
  const stage = ofApi('Stage')[0]?.properties.StageName;
  const declared = ofApi('Route');
  const connect = declared.find(({ properties }) => properties.RouteKey === '$connect');
  const answering = new Set(ofApi('RouteResponse').map(({ properties }) => String(properties.RouteId)));
  const place = { apiId, stage: typeof stage === 'string' ? stage : 'local' };
  const routes = declared.map((route) => readRoute(template, route, { ...place, answering }));
  return {
    ...place,
    authorization: connect ? readAuthorization(template, apiId, connect) : 'NONE',
    select: selectRoute(String(api?.properties.RouteSelectionExpression)),
    routes: new Map(routes.map((route) => [route.routeKey, route])),
  };
}

function readRoute(
  template: Template,
  { logicalId, properties }: Resource,
  { answering, apiId, stage }: Pick<WebSocketApi, 'apiId' | 'stage'> & { readonly answering: ReadonlySet<string> },
): WebSocketRoute {
  const { RouteKey, Target, RouteResponseSelectionExpression: response, AuthorizationType: type } = properties;
  if (properties.ApiKeyRequired === true)
    throw new OperatorError(`route ${logicalId}: API keys are not checked locally`);
  if (RouteKey !== '$connect' && type !== undefined && type !== 'NONE') {
    throw new OperatorError(`route ${logicalId}: only $connect can be authorized`);
  }
  const hasResponse = response === '$default' && answering.has(logicalId);
  const route = { routeKey: String(RouteKey), hasResponse };
  if (Target === undefined) return route;
  const sourceArn = executeApiArn(apiId, `${stage}/${RouteKey}`);
  return { ...route, integration: { ...readIntegration(template, logicalId, Target), sourceArn } };
}

function readIntegration(template: Template, route: string, target: unknown): Omit<Integration, 'sourceArn'> {
  const integration = template.resources.get(String(target).replace(/^integrations\//, ''));
  const { IntegrationType: type, IntegrationUri: uri, TimeoutInMillis: timeout } = integration?.properties ?? {};
  if (type !== 'AWS_PROXY') {
    throw new OperatorError(`route ${route}: only AWS_PROXY integrations run locally, not ${String(type)}`);
  }
  return { functionName: functionOf(uri, route), timeoutMs: Number(timeout ?? DEFAULT_TIMEOUT_MS) };
}

function readAuthorization(template: Template, apiId: string, { logicalId, properties }: Resource): Authorization {
  const { AuthorizationType: type = 'NONE', AuthorizerId: id } = properties;
  if (type === 'NONE' || type === 'AWS_IAM') return type;
  const { AuthorizerType, AuthorizerUri, IdentitySource } = template.resources.get(String(id))?.properties ?? {};
  if (type !== 'CUSTOM' || AuthorizerType !== 'REQUEST') {
    throw new OperatorError(`route ${logicalId}: only IAM and a REQUEST authorizer run locally, not ${String(type)}`);
  }
  // One that every handshake has; an empty list is not documented.
  if (JSON.stringify(listOf(IdentitySource)) !== JSON.stringify(['context.stage']))
    throw new OperatorError(`route ${logicalId}: the only identity source that is emulated is context.stage`);
  return { functionName: functionOf(AuthorizerUri, logicalId), sourceArn: executeApiArn(apiId, `authorizers/${id}`) };
}

/** Returns the route key in a message; undefined when there is none, which selects `$default`. */
type SelectRoute = (body: string) => string | undefined;

/** Route keys that a message must not select. */
const RESERVED = new Set(['$connect', '$disconnect', '$default']);

/**
 * Compiles an API's `RouteSelectionExpression`: `$request.body.action`.
 *
 * @throws OperatorError for any other form
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/websocket-api-develop-routes.html
 */
function selectRoute(expression: string): SelectRoute {
  const [, field] = /^\$request\.body\.(\w+)$/.exec(expression) ?? [];
  if (field === undefined) throw new OperatorError(`routes cannot be selected by ${expression} locally`);
  return (body) => {
    const message = json(body);
    const value = isRecord(message) && Object.hasOwn(message, field) ? message[field] : undefined;
    return typeof value === 'string' && !RESERVED.has(value) ? value : undefined;
  };
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** One WebSocket API and its state. */
export interface WebSocketBackend extends Backend {
  readonly api: WebSocketApi;
  readonly limits: Limits;
  /** Decides who may connect to an API with IAM authorization, and who may post to connections. */
  readonly guard: Guard;
  /** The open connections, by id. */
  readonly connections: Map<string, Connection>;
  /** The sockets with an open handshake. */
  readonly handshakes: Set<Duplex>;
  /** Registers work that the close of the server waits for. */
  readonly track: (work: Promise<void>) => void;
  readonly log: (sentence: string) => void;
}
