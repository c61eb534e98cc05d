import { Aws, CfnCondition, Fn, Stack, Token } from 'aws-cdk-lib';
import type { SpecRestApi } from 'aws-cdk-lib/aws-apigateway';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import type { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { EndpointFunction } from '../../../functions/api/endpoints/endpoints.ts';
import { routes } from '../../../functions/api/routes.ts';
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
import { apiDefinition, STREAM_TIMEOUT_SECONDS } from './definition.ts';
import { restApi } from './gateway.ts';

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
/**
 * Senders wait for these two, one after the other, and mostly find them cold. A share of a processor comes with the
 * memory, a whole one with this much: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html
 */
const AWAITED_BY_SENDERS = ['authorize', 'api-deploy'];
const WHOLE_PROCESSOR_MB = 1769;
/** The functions whose streams go on until their time is over. */
const FOLLOWED = ['api-changes', 'api-build-log', 'api-app-logs'];

/** The REST API with its functions. */
export class Api extends Construct {
  readonly rest: SpecRestApi;
  readonly functions: readonly ServiceFunction[];
  /** Whether the operator has reserved concurrency for streams of changes. */
  readonly limitsStreams: CfnCondition;
  /** Checks logins, here and at the clients' WebSocket API. */
  readonly authorize: ServiceFunction;

  constructor(scope: Construct, id: string, props: ApiProps) {
    super(scope, id);
    const { connections } = props.changes;
    const remember = [rememberFailures(connections), refusedCalls(connections, 'PutItem')];
    this.authorize = this.#endpoint('authorize', props, [readEntries(props.stores.log), ...remember]);
    const endpoints = Object.entries(endpointAccess(props)).map(([name, access]) =>
      this.#endpoint(name, props, access),
    );
    this.functions = [this.authorize, ...endpoints];
    for (const name of AWAITED_BY_SENDERS) this.named(name).reserve(props.parameters);
    this.limitsStreams = limitStreams(this.named('api-changes'), props.parameters);
    const definition = apiDefinition((name) => this.named(name));
    this.rest = restApi(this, definition, props.parameters);
    for (const one of this.functions) this.#permit(one);
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

  /** One permission for all routes of a function: one each would outgrow the 20 kB of a function's policy. */
  #permit(called: ServiceFunction): void {
    const sourceArn = Stack.of(this).formatArn({
      service: 'execute-api',
      resource: this.rest.restApiId,
      resourceName: '*',
    });
    called.addPermission('RestMayCall', { principal: new ServicePrincipal('apigateway.amazonaws.com'), sourceArn });
    // Without a permission a request is answered with 500, so it comes before the deployment that needs it.
    this.rest.latestDeployment?.node.addDependency(called);
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
