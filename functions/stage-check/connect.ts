import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
import { sqsQueue, sqsVisibility } from '../adapters/queues/sqs.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { ciConfigsOf } from '../adapters/senders/ci-config/ci-configs.ts';
import { configFiles } from '../adapters/senders/ci-config/config-files.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { fetchToken } from '../core/host-tokens.ts';
import type { StageConnection } from '../triggers/stage.ts';
import type { CheckPorts } from './ports.ts';

/** It calls a host up to eight times, some after each other, and has a minute. */
const HOST_TIMEOUTS = { connectMs: 3_000, firstByteMs: 10_000, idleMs: 5_000 };

/** Returns the ports of the stage `check`, apart from `trace`. */
export function connect(): Omit<CheckPorts, 'trace'> & StageConnection {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = {
    check: variable('QUEUE_CHECK'),
    fetch: variable('QUEUE_FETCH'),
    report: variable('QUEUE_REPORT'),
  };
  const hosts = openHosts(parseHosts(variable('REPOSITORY_HOSTS')), { timeouts: HOST_TIMEOUTS });
  const access = { tokens: dynamoDbTokens(table), sealer: kmsSealer(kms(), variable('TOKEN_KEY')) };
  return {
    stage: 'check',
    log: dynamoDbLog(table),
    facts: dynamoDbFacts(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    setVisibility: sqsVisibility(sqs(), variable('QUEUE_CHECK')),
    host: hosts.named,
    token: (user, host) => fetchToken(access, user, host),
    ciConfigs: ciConfigsOf(configFiles),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
    holdMinutes: numberVariable('HOLD_MINUTES'),
  };
}
