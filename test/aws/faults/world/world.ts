import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { dynamoDbTokens } from '../../../../functions/adapters/stores/dynamodb/tokens.ts';
import { systemIds } from '../../../../functions/adapters/system/ids.ts';
import { CREDENTIALS, REGION } from '../../../aws-local/clients.ts';
import type { FaultyPlatform } from '../../../faults/world/faulty-platform.ts';
import { type FakeHost, fakeHost } from '../../../faults/world/host.ts';
import { type FaultProxy, faultProxy } from '../../../faults/world/proxy.ts';
import { CONNECTIONS, LOG_TABLES } from '../../../support/dynamodb-table.ts';
import { proxyEvent } from '../../../support/events/aws-events.ts';
import { testFolder } from '../../../support/service/place.ts';
import { type Aws, BUCKET, queues, queueUrl, startAws } from './aws.ts';
import { Broker } from './broker.ts';
import { platform, wireClients, wireQueueCalls } from './clients.ts';
import { clock } from './clock.ts';
import { Instances } from './functions.ts';
import type { Death } from './runs.ts';
import { answersOf, type Proxied } from './services.ts';

/** The functions over emulators, with a proxy in front of everything that they call. */
export interface World {
  readonly aws: Aws;
  readonly host: FakeHost;
  readonly platform: FaultyPlatform;
  readonly instances: Instances;
  readonly broker: Broker;
  /** The log's table for the test itself. */
  table(): Parameters<typeof dynamoDbTokens>[0];
  /** Stores a user's token, so that commit statuses are set. */
  pair(user: string): Promise<void>;
  /** Sends a webhook call; returns the status and body of its answer, or null when none came. */
  hook(call: HookCall, dies?: Death): Promise<HookAnswer>;
  /** Looks after the entries that are due, as the schedule does each minute. */
  sweep(everything?: boolean, dies?: Death): Promise<number>;
  /** What a restart of one machine does: workers, messages and objects are gone. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** A call of the webhook. */
export interface HookCall {
  readonly user: string;
  readonly payload: object;
  /** The sender's id of the delivery. */
  readonly delivery: string;
  readonly query?: Readonly<Record<string, string>>;
}

/** The answer of a webhook call, and how many calls the function made for it. */
interface HookAnswer {
  readonly calls: number;
  readonly answer: { readonly status: number; readonly body: HookBody } | null;
}

interface HookBody {
  readonly id?: string;
  readonly status?: string;
  readonly code?: string;
}

/** Starts the world in a folder of its own. */
export async function startWorld(name: string): Promise<World> {
  const aws = await startAws(join(testFolder, `${name}-${process.pid}`));
  const host = await fakeHost();
  const proxied = Object.keys(answersOf) as Proxied[];
  const started = await Promise.all(
    proxied.map(async (service) => [service, await faultProxy(answersOf[service])] as const),
  );
  const proxies = Object.fromEntries(started) as Record<Proxied, FaultProxy>;
  const aim = () => {
    const { dynamodb, sqs } = aws.addresses;
    const targets = { dynamodb, sqs, s3: sqs, host: host.url };
    for (const service of proxied) proxies[service].target = targets[service];
  };
  aim();
  Object.assign(process.env, environment(aws, proxies, host));
  const at = (service: 'dynamodb' | 'sqs') => () => aws.addresses[service];
  wireClients({
    dynamodb: { endpoint: at('dynamodb'), proxy: proxies.dynamodb.url },
    sqs: { endpoint: at('sqs'), proxy: proxies.sqs.url },
    s3: { endpoint: at('sqs'), proxy: proxies.s3.url },
  });
  const instances = new Instances();
  const broker = new Broker(aws, instances);
  wireQueueCalls(() => broker);
  const table = () => ({ client: aws.clients.dynamodb, ...LOG_TABLES, clock, ids: systemIds });
  const sweep = async (everything = false, dies?: Death) =>
    (await instances.run('sweep', (handler) => handler({ everything }), dies)).run.calls;
  return {
    aws,
    host,
    platform,
    instances,
    broker,
    table,
    sweep,
    pair: (user) =>
      dynamoDbTokens(table()).put(user, {
        host: 'local',
        app: '*',
        login: user,
        scopes: ['repo'],
        expiresAt: null,
        sealed: 'host-token',
      }),
    hook: async (call, dies) => {
      const { run, result } = await instances.run('deploy', (handler) => handler(hookEvent(call), {}), dies);
      const answer =
        result === 'dead' ? null : { status: result.statusCode, body: JSON.parse(result.body) as HookBody };
      return { calls: run.calls, answer };
    },
    restart: async () => {
      instances.clear();
      broker.clear();
      await aws.restart();
      aim();
    },
    close: async () => {
      await Promise.all([...Object.values(proxies), host].map((one) => one.close()));
      await aws.remove();
    },
  };
}

/** The environment of the functions, as the stack sets it. */
function environment(aws: Aws, proxies: Record<Proxied, FaultProxy>, host: FakeHost): Record<string, string> {
  const { sqs } = aws.addresses;
  // What the pages of the host are is only compared; its API is called through the proxy.
  const hosts = [{ name: 'local', kind: 'github', api: proxies.host.url, web: host.url }];
  return {
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL: sqs,
    LOG_TABLE: LOG_TABLES.table,
    PAYLOADS_TABLE: LOG_TABLES.payloads,
    CONNECTIONS_TABLE: CONNECTIONS,
    TARBALL_BUCKET: BUCKET,
    TOKEN_KEY: 'key',
    REPOSITORY_HOSTS: JSON.stringify(hosts),
    HOOK_SECRETS: 'hooks',
    RETRY_BASE_SECONDS: '30',
    HOLD_MINUTES: '60',
    PREVIEW_DAYS: '14',
    DEFAULT_BRANCH: 'main',
    STREAMS_PER_USER: '5',
    STREAMS_IN_ALL: '50',
    ...Object.fromEntries(queues.map(({ name, file }) => [`QUEUE_${name.toUpperCase()}`, queueUrl(sqs, file)])),
  };
}

let requests = 0;

/** The event of `POST /1/deploy` behind the authorizer. */
function hookEvent({ user, payload, delivery, query = {} }: HookCall): APIGatewayProxyEvent {
  requests += 1;
  const requestId = `00000000-0000-4000-8000-${String(requests).padStart(12, '0')}`;
  return proxyEvent({
    headers: { 'content-type': 'application/json', 'x-github-event': 'push', 'x-github-delivery': delivery },
    queryStringParameters: { branch: 'main', ...query },
    body: JSON.stringify(payload),
    requestContext: { requestId, authorizer: { user }, domainName: 'service.example.com' },
  });
}
