import { DeleteLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { DeleteFunctionCommand, PutFunctionConcurrencyCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { DeployError } from '../../../../core/errors.ts';
import type { AppOperations, AppRef } from '../../../../core/ports/platform.ts';
import { onAws, unless } from '../../../aws/failures.ts';
import { removeProject } from '../build/app-project.ts';
import { removeJobs } from '../jobs/job-function.ts';
import { cacheKey, functionName, logGroupOf } from '../names.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import { NO_RENAME } from '../table/applications.ts';
import { keys } from '../table/items.ts';
import { removeSnapshots } from '../table/snapshots.ts';
import { note } from './app-log.ts';
import { release } from './release.ts';
import { running } from './versions.ts';

const CODE = 'deploy:platform:start_app';

export function lambdaAppOperations(parts: LambdaPlatformParts): AppOperations {
  return {
    restart: (app) =>
      onAws(CODE, `the restart of ${app.app}`, async () => release(await running(app, parts), parts, true)),
    stop: (app) => onAws(CODE, `the stop of ${app.app}`, () => stop(app, parts)),
    rename: () => Promise.reject(new DeployError('request:not_supported', NO_RENAME, { retry: false })),
    remove: (app) => onAws(CODE, `the removal of ${app.app}`, () => remove(app, parts)),
  };
}

/** A function that may not run at all answers every request with 429. */
async function stop(app: AppRef, parts: LambdaPlatformParts): Promise<void> {
  const item = await parts.table.read(keys.app(app));
  if (!item) throw new DeployError(CODE, `There is no application ${app.app}.`, { retry: false });
  if (item.snapshot === undefined) return;
  const FunctionName = functionName(parts.functionPrefix, app);
  // Also after a run that is interrupted here, the next start sets the limit again.
  await parts.table.write(keys.app(app), { limit: null }, { exists: true });
  await parts.lambda.send(new PutFunctionConcurrencyCommand({ FunctionName, ReservedConcurrentExecutions: 0 }));
  await parts.table.write(keys.app(app), { state: 'stopped' }, { exists: true });
  await note(FunctionName, 'stopped', parts);
}

/** The application's item last: until then a second call removes what a first one has left. */
async function remove(app: AppRef, parts: LambdaPlatformParts): Promise<void> {
  const FunctionName = functionName(parts.functionPrefix, app);
  const log = new DeleteLogGroupCommand({ logGroupName: logGroupOf(FunctionName) });
  await removeJobs(app, parts);
  await unless('ResourceNotFoundException', parts.lambda.send(new DeleteFunctionCommand({ FunctionName })));
  await unless('ResourceNotFoundException', parts.logs.send(log));
  await removeProject(app, parts);
  await removeSnapshots(app, parts);
  await parts.s3.send(new DeleteObjectCommand({ Bucket: parts.bucket, Key: cacheKey(app) }));
  await parts.table.remove(keys.event(app));
  await parts.table.remove(keys.eventLog(app));
  await parts.table.remove(keys.function(FunctionName));
  await parts.table.remove(keys.quiet(FunctionName));
  await parts.table.remove(keys.trial(FunctionName));
  await parts.table.remove(keys.app(app));
}
