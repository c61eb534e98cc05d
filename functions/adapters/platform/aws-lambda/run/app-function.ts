import {
  CreateFunctionCommand,
  type FunctionConfiguration,
  GetFunctionCommand,
  UpdateFunctionCodeCommand,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda';
import { DeployError } from '../../../../core/errors.ts';
import { unless } from '../../../aws/failures.ts';
import type { LambdaPlatformParts } from '../parts.ts';
import type { Variables } from './environment.ts';

/** A version of an application's function that is to be published. */
export interface VersionPlan {
  readonly name: string;
  /** Names the version: one with this description is the same in everything. */
  readonly description: string;
  readonly environment: Variables;
  /** Key of the release in the bucket. */
  readonly release: string;
  /** The log of the application, for the function that runs its commands, which has no versions; else absent. */
  readonly jobsLog?: string;
}

const MEMORY_MB = 1024;
const WAIT_LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 1_000;
/** The most that Lambda allows. */
const JOB_SECONDS = 900;

/**
 * Publishes a version with this code and this environment, and returns its number; `$LATEST` for one that runs commands. The function is made when there is
 * none. Lambda allows an account 15 calls a second that change or list something, and 100 of `GetFunction`:
 * https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html#api-requests
 */
export async function publishVersion(plan: VersionPlan, parts: LambdaPlatformParts): Promise<string> {
  const { name: FunctionName } = plan;
  const current = await untilUpdated({ FunctionName }, parts);
  const { Version } = current ? await update(plan, parts) : await create(plan, parts);
  if (!Version) throw new Error('Lambda published no version.');
  await mustSettle({ FunctionName, ...(plan.jobsLog === undefined && { Qualifier: Version }) }, parts);
  return Version;
}

function create(plan: VersionPlan, parts: LambdaPlatformParts): Promise<FunctionConfiguration> {
  const { name: FunctionName, release: S3Key } = plan;
  const command = new CreateFunctionCommand({
    FunctionName,
    ...configurationOf(plan, parts),
    Architectures: [parts.architecture],
    PackageType: 'Zip',
    Code: { S3Bucket: parts.bucket, S3Key },
    Tags: { 'deployment-webhooks': parts.functionPrefix },
    Publish: plan.jobsLog === undefined,
  });
  return parts.lambda.send(command);
}

/** Configuration first: a function whose code is new and whose environment is old would be neither version. */
async function update(plan: VersionPlan, parts: LambdaPlatformParts): Promise<FunctionConfiguration> {
  const { lambda, bucket: S3Bucket } = parts;
  const { name: FunctionName, release: S3Key } = plan;
  const configuration = new UpdateFunctionConfigurationCommand({ FunctionName, ...configurationOf(plan, parts) });
  await lambda.send(configuration);
  const { RevisionId } = await mustSettle({ FunctionName }, parts);
  const code = { S3Bucket, S3Key, Architectures: [parts.architecture], Publish: plan.jobsLog === undefined };
  return lambda.send(new UpdateFunctionCodeCommand({ FunctionName, ...code, RevisionId }));
}

function configurationOf({ environment, description, jobsLog }: VersionPlan, parts: LambdaPlatformParts) {
  const { adapterLayer, appTimeoutSeconds, appRole } = parts;
  return {
    Runtime: 'nodejs24.x' as const,
    ...(jobsLog === undefined
      ? { Handler: 'run.sh', Layers: [adapterLayer], Timeout: appTimeoutSeconds }
      : { Handler: 'jobs.handler', Layers: [], Timeout: JOB_SECONDS, LoggingConfig: { LogGroup: jobsLog } }),
    Role: appRole,
    MemorySize: MEMORY_MB,
    // A version has the description of the function at the time at which it is published.
    Description: description,
    Environment: { Variables: { ...environment } },
  };
}

interface Target {
  readonly FunctionName: string;
  readonly Qualifier?: string;
}

async function mustSettle(target: Target, parts: LambdaPlatformParts): Promise<FunctionConfiguration> {
  const configuration = await untilUpdated(target, parts);
  if (configuration) return configuration;
  throw new DeployError('deploy:platform:start_app', 'The function of the application was removed meanwhile.');
}

/** Returns the configuration once Lambda has finished the last change of it; null when the function does not exist. */
async function untilUpdated(
  target: Target,
  { lambda, clock }: LambdaPlatformParts,
): Promise<FunctionConfiguration | null> {
  const end = clock.now() + WAIT_LIMIT_MS;
  let pause = FIRST_PAUSE_MS;
  for (;;) {
    const answer = await unless('ResourceNotFoundException', lambda.send(new GetFunctionCommand(target)));
    const configuration = answer?.Configuration ?? null;
    if (!configuration || isSettled(configuration)) return configuration;
    if (clock.now() > end) {
      const detail = 'Lambda did not finish preparing the function within a minute.';
      throw new DeployError('deploy:platform:start_app', detail, { retry: true });
    }
    await clock.sleep(pause);
    pause = Math.min(pause * 1.5, MAX_PAUSE_MS);
  }
}

/** Whether no change is under way. Throws when the last one failed. */
function isSettled(found: FunctionConfiguration): boolean {
  const { State, StateReason, LastUpdateStatus, LastUpdateStatusReason } = found;
  if (State === 'Failed' || LastUpdateStatus === 'Failed') {
    const why = StateReason ?? LastUpdateStatusReason ?? 'no reason given';
    throw new DeployError('deploy:platform:start_app', `Lambda could not prepare the function: ${why}`);
  }
  // A function that was not called for weeks is `Inactive`, and becomes active with the next change or call.
  return State !== 'Pending' && LastUpdateStatus !== 'InProgress';
}
