import { Aws, CfnCondition, Duration, Fn, Token, Validations } from 'aws-cdk-lib';
import {
  AuthorizationType,
  type IAuthorizer,
  LambdaIntegration,
  type MethodOptions,
  RequestAuthorizer,
  ResponseTransferMode,
  type RestApi,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EndpointFunction } from '../../../functions/api/endpoints/endpoints.ts';
import { type Route, routes } from '../../../functions/api/routes.ts';
import type { StageName } from '../../../functions/core/pipeline/pipeline.ts';
import type { Access } from '../access/access.ts';
import { configureApps, findApp, findApps, readAppLogs, readBuildLogs, runCommands } from '../access/apps.ts';
import { callHosts, knowHosts, storeTokens } from '../access/hosts.ts';
import { appendEntries, queryApps, queryLog, readEntries, writeLog } from '../access/log.ts';
import { sendTo } from '../access/queues.ts';
import { chooseBranch, linkEntries, readHookSecrets } from '../access/settings.ts';
import {
  holdStreams,
  nameSignals,
  receiveSignals,
  refusedCalls,
  rememberFailures,
  takeSlots,
} from '../access/signals.ts';
import { changeUsers } from '../access/users.ts';
import type { AppsPlatform } from '../apps/apps-platform.ts';
import type { Changes } from '../changes.ts';
import { ServiceFunction } from '../function.ts';
import type { Parameters } from '../parameters.ts';
import { appsAccessOf } from '../pipeline.ts';
import type { Queues } from '../queues.ts';
import type { Stores } from '../stores.ts';
import { restApi } from './gateway.ts';
import { addGatewayResponses } from './gateway-responses.ts';

interface ApiProps {
  readonly bundles: string;
  readonly logGroup: LogGroup;
  readonly parameters: Parameters;
  readonly stores: Stores;
  readonly queues: Queues;
  readonly apps: AppsPlatform;
  readonly changes: Pick<Changes, 'internal' | 'clients' | 'connections'>;
}

/** API Gateway times out after 29 seconds. */
const ENDPOINT_TIMEOUT_SECONDS = 29;
/** A streamed answer times out after 15 minutes, which is also Lambda's limit. */
const STREAM_TIMEOUT_SECONDS = 900;
/**
 * Senders wait for these two, one after the other, and mostly find them cold. A share of a processor comes with the
 * memory, a whole one with this much: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
const AWAITED_BY_SENDERS = ['authorize', 'api-deploy'];
const WHOLE_PROCESSOR_MB = 1769;
/** The functions whose streams go on until their time is over. */
const FOLLOWED = ['api-changes', 'api-build-log', 'api-app-logs'];

/** The REST API: each route with its function, its path's other methods with `api-unknown`, and one authorizer. */
export class Api extends Construct {
  readonly rest: RestApi;
  readonly functions: readonly ServiceFunction[];
  /** Whether the operator has reserved concurrency for streams of changes. */
  readonly limitsStreams: CfnCondition;
  /** Checks logins, here and at the clients' WebSocket API. */
  readonly authorize: ServiceFunction;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    this.rest = restApi(this, props.parameters);
    const { connections } = props.changes;
    const remember = [rememberFailures(connections), refusedCalls(connections, 'PutItem')];
    this.authorize = this.#endpoint('authorize', props, [readEntries(props.stores.log), ...remember]);
    const endpoints = Object.entries(endpointAccess(props)).map(([name, access]) =>
      this.#endpoint(name, props, access),
    );
    this.functions = [this.authorize, ...endpoints];
    for (const name of AWAITED_BY_SENDERS) this.named(name).reserve(props.parameters);
    this.limitsStreams = limitStreams(this.named('api-changes'), props.parameters);
    this.#route(loginAt(this, this.authorize));
    this.#answerOtherMethods();
    addGatewayResponses(this.rest);
  }

  named(name: string): ServiceFunction {
    const match = this.functions.find((one) => one.folder === name);
    if (!match)
      throw new Error(`There is no function ${name} among the API's; add its access in lib/stack/api/api.ts.`);
    return match;
  }

  #endpoint(name: string, { bundles, logGroup, parameters }: ApiProps, access: readonly Access[]): ServiceFunction {
    const memoryMb = AWAITED_BY_SENDERS.includes(name) ? WHOLE_PROCESSOR_MB : undefined;
    const timeoutSeconds = timeoutOf(name, parameters);
    return new ServiceFunction(this, name, { bundles, logGroup, timeoutSeconds, memoryMb, access });
  }

  #route(authorizer: IAuthorizer): void {
    for (const route of routes) {
      this.#method(route.method, route.path, route.function, login(route, authorizer));
    }
  }

  /** Paths that are not known at all take no resource: the gateway answers them itself, and bills nothing. */
  #answerOtherMethods(): void {
    for (const path of new Set(routes.map((route) => route.path))) {
      this.#method('ANY', path, 'api-unknown', open('It only answers 405, and preflights.'));
    }
  }

  #method(method: string, path: string, name: string, { options, acknowledged }: Login): void {
    const added = this.rest.root.resourceForPath(path).addMethod(method, this.#integration(name), options);
    if (acknowledged) Validations.of(added).acknowledge({ id: 'AwsSolutions-APIG4', reason: acknowledged });
  }

  #integration(name: string): LambdaIntegration {
    return new LambdaIntegration(this.named(name), {
      // One permission for all routes of a function: one each would outgrow the 20 kB of a function's policy.
      scopePermissionToMethod: false,
      ...(streams(name) && {
        responseTransferMode: ResponseTransferMode.STREAM,
        timeout: Duration.seconds(STREAM_TIMEOUT_SECONDS),
      }),
    });
  }
}

function streams(name: string): boolean {
  return routes.some((route) => route.function === name && route.streams);
}

/** A stream that is followed has as long as its slot is reserved for it: then Lambda ends it, if nothing else has. */
function timeoutOf(name: string, { changesSeconds }: Parameters): number {
  if (FOLLOWED.includes(name)) return changesSeconds.valueAsNumber;
  return streams(name) ? STREAM_TIMEOUT_SECONDS : ENDPOINT_TIMEOUT_SECONDS;
}

/** Limits the streams that are open at a time: each holds a function for minutes, even when its reader is gone. */
function limitStreams(one: ServiceFunction, { changesConcurrency }: Parameters): CfnCondition {
  const given = new CfnCondition(one, 'ConcurrencyGiven', {
    expression: Fn.conditionNot(Fn.conditionEquals(changesConcurrency.valueAsString, '0')),
  });
  const resource = one.node.defaultChild;
  if (!(resource instanceof CfnFunction)) throw new Error('The function has no resource in the template.');
  resource.reservedConcurrentExecutions = Token.asNumber(
    Fn.conditionIf(given.logicalId, changesConcurrency.valueAsNumber, Aws.NO_VALUE),
  );
  return given;
}

/** The login of a method, or the reason why it has none. */
interface Login {
  readonly options: MethodOptions;
  readonly acknowledged?: string;
}

function login(route: Route, authorizer: IAuthorizer): Login {
  if (route.login === 'none') return open(withoutLogin(route));
  return { options: { authorizer, authorizationType: AuthorizationType.CUSTOM } };
}

/** Returns the reason why a route has no login. */
function withoutLogin({ function: name, path }: Route): string {
  const reason = {
    'api-badge': 'A badge is embedded in public readmes and shows nothing but the last outcome.',
    'api-page': 'It has the login form and how senders are set up, and holds no data of users.',
    'api-documents':
      'It explains errors and the API, also to those whose login was refused, and holds no data of users.',
  }[name];
  if (!reason) throw new Error(`Add the reason why ${path} has no login to lib/stack/api/api.ts.`);
  return reason;
}

function open(acknowledged: string): Login {
  return { options: { authorizationType: AuthorizationType.NONE }, acknowledged };
}

/**
 * No identity source and no cache, so that it runs for every request: only its refusal can carry `WWW-Authenticate`
 * when credentials are missing, and a cached policy would apply to other paths too.
 */
function loginAt(scope: Construct, handler: ServiceFunction): RequestAuthorizer {
  return new RequestAuthorizer(scope, 'Login', { handler, identitySources: [], resultsCacheTtl: Duration.seconds(0) });
}

function endpointAccess(props: ApiProps): Record<EndpointFunction | 'api-unknown', readonly Access[]> {
  const { parameters, stores, queues, changes } = props;
  const waiting = takeSlots(changes.connections, parameters);
  const platform = appsAccessOf(props);
  const streamed = [holdStreams(changes.connections, parameters), readEntries(stores.log)];
  const read = [readEntries(stores.log), linkEntries(parameters)];
  const send = (...names: (StageName | 'report')[]) => names.map((name) => sendTo(queues.named(name)));
  const queue = send('check', 'report');
  const record = (...names: StageName[]) => [
    ...[appendEntries(stores), queryLog(stores.log), linkEntries(parameters)],
    ...send(...names),
  ];
  return {
    'api-deploy': [
      appendEntries(stores),
      queryLog(stores.log),
      queryApps(stores.log),
      ...queue,
      chooseBranch(parameters),
      knowHosts(parameters),
      linkEntries(parameters),
      readHookSecrets(stores.hookSecrets),
      refusedCalls(changes.connections, 'PutItem'),
      waiting,
    ],
    'api-status': [...read, queryLog(stores.log), queryApps(stores.log), refusedCalls(changes.connections, 'GetItem')],
    'api-build-log': [...read, ...streamed, readBuildLogs(platform)],
    'api-entry': [writeLog(stores.log), ...queue, linkEntries(parameters)],
    'api-changes': [...read, queryLog(stores.log), ...streamed, receiveSignals(changes.internal)],
    'api-apps': [...read, queryLog(stores.log), runCommands(platform)],
    'api-app-env': [...record('start'), configureApps(platform)],
    'api-app-operations': [...record('extract', 'start'), queryApps(stores.log), waiting, findApps(platform)],
    'api-app-source': [
      ...record('check', 'start'),
      queryApps(stores.log),
      callHosts(parameters, stores.tokenKey),
      waiting,
      findApp(platform),
    ],
    'api-app-logs': [readAppLogs(platform), ...streamed, linkEntries(parameters)],
    'api-tokens': [changeUsers(stores.log), linkEntries(parameters)],
    'api-pair': [
      linkEntries(parameters),
      storeTokens(stores.log, stores.tokenKey),
      knowHosts(parameters),
      readEntries(stores.log),
    ],
    'api-badge': read,
    'api-documents': [linkEntries(parameters)],
    'api-page': [linkEntries(parameters), chooseBranch(parameters), nameSignals(changes.clients, parameters)],
    'api-unknown': [linkEntries(parameters)],
  };
}
