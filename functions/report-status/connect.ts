import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { ReportPorts } from './report.ts';

/** A batch of ten has half a minute, so that one hanging host does not repeat the others. */
const HOST_TIMEOUTS = { connectMs: 3_000, firstByteMs: 8_000, idleMs: 3_000 };

/** Returns what setting commit statuses works with. */
export function connect(): ReportPorts {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const hosts = openHosts(parseHosts(variable('REPOSITORY_HOSTS')), { timeouts: HOST_TIMEOUTS });
  return {
    log: dynamoDbReader(table),
    tokens: dynamoDbTokens(table),
    sealer: kmsSealer(kms(), variable('TOKEN_KEY')),
    host: hosts.named,
  };
}
