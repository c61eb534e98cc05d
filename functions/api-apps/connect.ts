import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
import { connectApplications, connectVariables } from '../adapters/platform/platforms.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbTrackedApps } from '../adapters/stores/dynamodb/apps/tracked-apps.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { fetchToken } from '../core/host-tokens.ts';
import type { AppsPorts } from './ports.ts';

/** API Gateway times out after 29 seconds. */
const HOST_TIMEOUTS = { connectMs: 2_000, firstByteMs: 8_000, idleMs: 2_000 };

/** Returns the endpoints' ports. A new service token is known to instances that start later. */
export async function connect(): Promise<Omit<AppsPorts, 'trace'> & { readonly publicUrl: string | null }> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const hosts = openHosts(parseHosts(variable('REPOSITORY_HOSTS')), { timeouts: HOST_TIMEOUTS });
  const access = { tokens: dynamoDbTokens(table), sealer: kmsSealer(kms(), variable('TOKEN_KEY')) };
  const urls = {
    check: variable('QUEUE_CHECK'),
    extract: variable('QUEUE_EXTRACT'),
    start: variable('QUEUE_START'),
  };
  return {
    applications: await connectApplications(),
    variables: await connectVariables(systemClock),
    facts: dynamoDbAppFacts(table),
    owners: dynamoDbFacts(table),
    tracked: dynamoDbTrackedApps(table),
    reader: dynamoDbReader(table),
    log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    host: hosts.named,
    token: (user, host) => fetchToken(access, user, host),
    clock: systemClock,
    publicUrl: publicUrl(),
  };
}
