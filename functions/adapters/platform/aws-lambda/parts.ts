import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import type { KMSClient } from '@aws-sdk/client-kms';
import { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import * as v from 'valibot';
import { once } from '../../../core/concurrency.ts';
import { jsonIn } from '../../../core/json-value.ts';
import type { Clock } from '../../../core/ports/system.ts';
import { requestLimits, withoutLogging } from '../../aws/client-settings.ts';
import { kms } from '../../aws/kms.ts';
import { s3 } from '../../aws/s3.ts';
import type { PlatformTable } from './table/table.ts';

const text = v.pipe(v.string(), v.minLength(1));
const number = v.pipe(text, v.transform(Number));
/** The names of what the stack has made for the platform: the variable PLATFORM_PARTS. */
const PartNames = v.object({
  /** The bucket of snapshots, releases and packages. */
  bucket: text,
  /** The CodeBuild project that those of applications are made as. */
  project: text,
  functionPrefix: text,
  /** The ARN of the role that all applications run with. */
  appRole: text,
  /** The ARN of the layer with the Lambda Web Adapter. */
  adapterLayer: text,
  /** The architecture of the applications' functions, and of the machines that build them. */
  architecture: v.pipe(
    text,
    v.transform((name) => (name === 'arm64' ? 'arm64' : 'x86_64')),
  ),
  /** The key that seals the applications' variables. */
  sealingKey: text,
  /** The timeout of a request to an application. */
  appTimeoutSeconds: number,
  /** The requests that an application may have at a time, where the account is large enough; 0: no limit. */
  appConcurrency: number,
});

export interface LambdaPlatformParts extends v.InferOutput<typeof PartNames> {
  readonly table: PlatformTable;
  readonly lambda: LambdaClient;
  readonly codeBuild: CodeBuildClient;
  readonly logs: CloudWatchLogsClient;
  readonly s3: S3Client;
  readonly kms: KMSClient;
  readonly clock: Clock;
  /**
   * The ARN of the function that is notified when an instance of an application ends; undefined where nothing is
   * started.
   */
  readonly watcher: string | undefined;
}

const codeBuild = once(() => withoutLogging(new CodeBuildClient(requestLimits(10_000))));
/**
 * Lambda's control plane limits the rate of changes, hence more attempts than usual; a call of an application takes as
 * long as that application.
 */
const lambda = once(() => withoutLogging(new LambdaClient({ ...requestLimits(65_000), maxAttempts: 6 })));
const cloudWatchLogs = once(() => withoutLogging(new CloudWatchLogsClient(requestLimits(10_000))));

/** Returns the parts with the clients of this function. `names` is JSON of `PartNames`. */
export function connectParts({
  names,
  ...given
}: Pick<LambdaPlatformParts, 'watcher' | 'table' | 'clock'> & {
  readonly names: string;
}): LambdaPlatformParts {
  return {
    ...namesIn(names),
    ...given,
    lambda: lambda(),
    codeBuild: codeBuild(),
    logs: cloudWatchLogs(),
    s3: s3(),
    kms: kms(),
  };
}

/** Throws, naming the variable, when a name is missing. */
function namesIn(json: string): v.InferOutput<typeof PartNames> {
  const names = v.safeParse(PartNames, jsonIn(json) ?? {});
  if (names.success) return names.output;
  throw new Error(`The environment variable PLATFORM_PARTS has no ${v.getDotPath(names.issues[0])}.`);
}
