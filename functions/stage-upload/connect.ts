import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { numberVariable, variable } from '../adapters/aws/environment.ts';
import { s3 } from '../adapters/aws/s3.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { connectHosting } from '../adapters/platform/platforms.ts';
import { sqsQueue, sqsVisibility } from '../adapters/queues/sqs.ts';
import { dynamoDbAppFacts } from '../adapters/stores/dynamodb/apps/app-facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { s3Tarballs } from '../adapters/stores/s3-tarballs.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { StageConnection } from '../triggers/stage.ts';
import type { UploadPorts } from './upload.ts';

/** Returns the ports of the stage `upload`. A new service token is known to instances that start later. */
export async function connect(): Promise<UploadPorts & StageConnection> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const urls = {
    fetch: variable('QUEUE_FETCH'),
    extract: variable('QUEUE_EXTRACT'),
    report: variable('QUEUE_REPORT'),
  };
  return {
    stage: 'upload',
    log: dynamoDbLog(table),
    appFacts: dynamoDbAppFacts(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    setVisibility: sqsVisibility(sqs(), variable('QUEUE_UPLOAD')),
    platform: await connectHosting(systemClock),
    tarballs: s3Tarballs({ client: s3(), bucket: variable('TARBALL_BUCKET') }),
    clock: systemClock,
    ids: systemIds,
    retryBaseSeconds: numberVariable('RETRY_BASE_SECONDS'),
  };
}
