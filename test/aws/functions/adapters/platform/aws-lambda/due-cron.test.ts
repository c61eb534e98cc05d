import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { KMSClient } from '@aws-sdk/client-kms';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { HeadObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { expect, it } from 'vitest';
import { lambdaCron } from '../../../../../../functions/adapters/platform/aws-lambda/jobs/cron-table.ts';
import type { LambdaPlatformParts } from '../../../../../../functions/adapters/platform/aws-lambda/parts.ts';
import { keys } from '../../../../../../functions/adapters/platform/aws-lambda/table/items.ts';
import { memoryClock } from '../../../../../fakes/clock.ts';
import { memoryTable } from '../../../../../fakes/platform-table.ts';
import { AT, MINUTE } from '../../../../../support/entries.ts';

const APPS = 2_000;
/** Of some ten calls, with a third of a processor. */
const BEGIN_MS = 100;
const at = { region: 'us-east-1', credentials: { accessKeyId: 'a', secretAccessKey: 's' } };

/** Two thousand applications whose cron is due at midnight of the same day each year. */
async function world() {
  const clock = memoryClock(AT);
  const table = memoryTable();
  const [s3, lambda] = [new S3Client(at), new LambdaClient(at)];
  const begun: string[] = [];
  const missing = Object.assign(new Error('Not Found'), { $metadata: { httpStatusCode: 404 } });
  mockClient(s3).on(HeadObjectCommand).rejects(missing);
  mockClient(lambda)
    .on(InvokeCommand)
    .callsFake(async ({ FunctionName }) => {
      begun.push(FunctionName);
      clock.pass(BEGIN_MS);
    });
  const names = { bucket: 'apps', project: 'build', functionPrefix: 'hooks-app-', appRole: 'r', adapterLayer: 'l' };
  const parts: LambdaPlatformParts = {
    ...{ ...names, architecture: 'arm64', sealingKey: 'k', appTimeoutSeconds: 30, appConcurrency: 0 },
    ...{ table, lambda, s3, clock, watcher: undefined },
    ...{ codeBuild: new CodeBuildClient(at), logs: new CloudWatchLogsClient(at), kms: new KMSClient(at) },
  };
  for (let app = 0; app < APPS; app += 1) {
    const ref = { user: 'ann', app: `app-${app}` };
    const due = `${new Date(AT).toISOString()}#ann/app-${app}`;
    await table.write(keys.due(due), ref);
    const cron = [{ command: 'node report.js', schedule: '0 0 1 1 *', timezone: 'UTC' }];
    await table.write(keys.app(ref), { name: ref.app, state: 'running', due, cron });
  }
  return { clock, begun, run: () => lambdaCron(parts).runDue() };
}

it('two thousand that are due in one minute begin within a few, each once, and no run takes its minute', async () => {
  const { clock, begun, run } = await world();
  for (let runs = 1; runs <= 6; runs += 1) {
    const startedAt = clock.now();
    // The schedule may call twice.
    await Promise.all([run(), run()]);
    expect(clock.now() - startedAt).toBeLessThan(50_000);
    clock.pass(MINUTE);
  }
  expect([begun.length, new Set(begun).size]).toEqual([APPS, APPS]);
}, 60_000);
