import { variable } from '../adapters/aws/environment.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbBacklog } from '../adapters/stores/dynamodb/backlog.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable } from '../triggers/aws-ports.ts';
import { repositoryHosts, tokenAccess } from '../triggers/host-ports.ts';
import { reportTrigger } from '../triggers/queue.ts';
import { report } from './report.ts';

const platform = await configuredPlatform(systemClock);

/** A batch of ten has half a minute, so that one hanging host does not repeat the others. */
const HOST_TIMEOUTS = { connectMs: 3_000, firstByteMs: 8_000, idleMs: 3_000 };

const table = logTable();

const ports = {
  ...tokenAccess(),
  log: dynamoDbReader(table),
  facts: dynamoDbFacts(table),
  appFacts: dynamoDbAppFacts(table),
  backlog: dynamoDbBacklog(table),
  platform: await platform.hosting(),
  tarballs: s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') }),
  host: repositoryHosts(HOST_TIMEOUTS).named,
};

export const handler = reportTrigger((job) => report(job, ports));
