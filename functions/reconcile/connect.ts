import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
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
import type { ReconcilePorts } from './reconcile.ts';

/** Returns the ports of comparing, apart from `trace`. */
export function connect(): Omit<ReconcilePorts, 'trace'> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const access = { tokens: dynamoDbTokens(table), sealer: kmsSealer(kms(), variable('TOKEN_KEY')) };
  return {
    apps: dynamoDbTrackedApps(table),
    log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
    reader: dynamoDbReader(table),
    facts: dynamoDbFacts(table),
    appFacts: dynamoDbAppFacts(table),
    queue: sqsQueue({ client: sqs(), urls: { check: variable('QUEUE_CHECK') }, ids: systemIds }),
    host: openHosts(parseHosts(variable('REPOSITORY_HOSTS'))).named,
    token: (user, host) => fetchToken(access, user, host),
    clock: systemClock,
    ids: systemIds,
    minutes: numberVariable('RECONCILE_MINUTES'),
  };
}
