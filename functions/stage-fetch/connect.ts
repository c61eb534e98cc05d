import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
import { sqsQueue, sqsVisibility } from '../adapters/queues/sqs.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import { fetchToken } from '../core/host-tokens.ts';
import type { StageConnection } from '../triggers/stage.ts';
import type { FetchPorts } from './fetch.ts';

/** Returns the ports of the stage `fetch`. */
export function connect(): FetchPorts & StageConnection {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = { upload: variable('QUEUE_UPLOAD'), report: variable('QUEUE_REPORT') };
  const hosts = openHosts(parseHosts(variable('REPOSITORY_HOSTS')));
  const access = { tokens: dynamoDbTokens(table), sealer: kmsSealer(kms(), variable('TOKEN_KEY')) };
  return {
    stage: 'fetch',
    log: dynamoDbLog(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    setVisibility: sqsVisibility(sqs(), variable('QUEUE_FETCH')),
    host: hosts.named,
    token: (user, host) => fetchToken(access, user, host),
    tarballs: s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') }),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
  };
}
