import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { kmsSealer } from '../adapters/aws/kms-sealer.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { type Hosts, type OpenOptions, openHosts } from '../adapters/hosts/open-hosts.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { sqsQueue, sqsVisibility } from '../adapters/queues/sqs.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbAppSettings } from '../adapters/stores/dynamodb/apps/app-settings.ts';
import { dynamoDbTrackedApps } from '../adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbBacklog } from '../adapters/stores/dynamodb/backlog.ts';
import { dynamoDbConnections } from '../adapters/stores/dynamodb/connections/connections.ts';
import { dynamoDbRefusedCalls } from '../adapters/stores/dynamodb/connections/refused-calls.ts';
import { dynamoDbLeases } from '../adapters/stores/dynamodb/connections/stream-leases.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import type { TableContext } from '../adapters/stores/dynamodb/table.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { dynamoDbUsers } from '../adapters/stores/dynamodb/users.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { fetchToken, type TokenAccess } from '../core/host-tokens.ts';
import type { LeasePorts } from '../core/limits/leased-stream.ts';
import { type StageName, stageAfter } from '../core/pipeline/pipeline.ts';
import type { StreamLeases } from '../core/ports/limits.ts';
import type { HostToken } from '../core/ports/repository-host.ts';
import type { JobQueue } from '../core/ports/stages.ts';
import type { Clock } from '../core/ports/system.ts';
import { userPorts } from '../core/users/users.ts';
import type { StageConnection } from '../triggers/stage.ts';
import { trace } from '../triggers/trace.ts';

export const system = { clock: systemClock, trace };

export function logTable(): TableContext {
  return { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
}

export const log = () => dynamoDbLog(logTable());
/** The log with the payloads of new entries. */
export const growingLog = () => dynamoDbLog({ ...logTable(), payloads: variable('PAYLOADS_TABLE') });
export const reader = () => dynamoDbReader(logTable());
export const facts = () => dynamoDbFacts(logTable());
export const appFacts = () => dynamoDbAppFacts(logTable());
export const appSettings = () => dynamoDbAppSettings(logTable());
export const trackedApps = () => dynamoDbTrackedApps(logTable());
export const backlog = () => dynamoDbBacklog(logTable());
export const users = () => userPorts({ store: dynamoDbUsers(logTable()), clock: systemClock, ids: systemIds });

export function connectionsTable() {
  return { client: dynamoDb(), table: variable('CONNECTIONS_TABLE'), clock: systemClock };
}

export const connections = () => dynamoDbConnections(connectionsTable());
export const refusedCalls = () => dynamoDbRefusedCalls(connectionsTable());

/** The leases of streams and waits, which are in the table of connections. */
export function streamLeases(): StreamLeases {
  const slots = { user: numberVariable('STREAMS_PER_USER'), service: numberVariable('STREAMS_IN_ALL') };
  return dynamoDbLeases({ ...connectionsTable(), slots, ids: systemIds });
}

/** How long a stream may hold its function, its login, and the leases. */
export function streamLimits(): LeasePorts & { readonly clock: Clock } {
  const { accounts } = users();
  return { seconds: numberVariable('CHANGES_SECONDS'), leases: streamLeases(), accounts, ...system };
}

export const tarballs = () => s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') });

export const configured = () => configuredPlatform(systemClock);

export function queueTo(...names: readonly (StageName | 'report')[]): JobQueue {
  const urls = Object.fromEntries(names.map((name) => [name, queueUrl(name)]));
  return sqsQueue({ client: sqs(), urls, ids: systemIds });
}

/** What stores an entry and queues it. */
export function recording(...stages: readonly (StageName | 'report')[]) {
  return { log: growingLog(), queue: queueTo(...stages), ...system };
}

function queueUrl(name: string): string {
  return variable(`QUEUE_${name.toUpperCase()}`);
}

/** What a stage runs on. Its queue sends to the next stage, to commit statuses and to `others`. */
export function receive(stage: StageName, ...others: readonly StageName[]) {
  const next = stageAfter(stage);
  return {
    stage,
    queue: queueTo(...(next ? [next] : []), 'report', ...others),
    log: log(),
    setVisibility: sqsVisibility(sqs(), queueUrl(stage)),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
  } satisfies Partial<StageConnection>;
}

export function tokenAccess(): TokenAccess {
  return { tokens: dynamoDbTokens(logTable()), sealer: kmsSealer(kms(), variable('TOKEN_KEY')) };
}

/** Reads the users' tokens, to fetch code with. */
export function fetchTokens(): (user: string, host: string) => Promise<HostToken> {
  const access = tokenAccess();
  return (user, host) => fetchToken(access, user, host);
}

export const hostConfigs = () => parseHosts(variable('REPOSITORY_HOSTS'));

export function repositoryHosts(timeouts: OpenOptions['timeouts'] = {}): Hosts {
  return openHosts(hostConfigs(), { timeouts });
}
