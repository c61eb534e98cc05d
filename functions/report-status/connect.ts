import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
import { connectHosting } from '../adapters/platform/platforms.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { dynamoDbBacklog } from '../adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { ReportPorts } from './report.ts';

/** A batch of ten has half a minute, so that one hanging host does not repeat the others. */
const HOST_TIMEOUTS = { connectMs: 3_000, firstByteMs: 8_000, idleMs: 3_000 };

/**
 * Returns the ports of setting commit statuses and closing entries. A new service token is known to instances that start
 * later.
 */
export async function connect(): Promise<ReportPorts> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const hosts = openHosts(parseHosts(variable('REPOSITORY_HOSTS')), { timeouts: HOST_TIMEOUTS });
  return {
    log: dynamoDbReader(table),
    facts: dynamoDbFacts(table),
    backlog: dynamoDbBacklog(table),
    platform: await connectHosting(systemClock),
    tarballs: s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') }),
    tokens: dynamoDbTokens(table),
    sealer: kmsSealer(kms(), variable('TOKEN_KEY')),
    host: hosts.named,
  };
}
