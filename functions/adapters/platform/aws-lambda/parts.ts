import type { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import type { CodeBuildClient } from '@aws-sdk/client-codebuild';
import type { KMSClient } from '@aws-sdk/client-kms';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { S3Client } from '@aws-sdk/client-s3';
import type { Clock } from '../../../core/ports/system.ts';
import type { PlatformTable } from '../in-table/table.ts';

/** Dependencies of the platform on AWS Lambda. */
export interface LambdaPlatformParts {
  readonly table: PlatformTable;
  readonly lambda: LambdaClient;
  readonly codeBuild: CodeBuildClient;
  readonly logs: CloudWatchLogsClient;
  readonly s3: S3Client;
  readonly kms: KMSClient;
  readonly clock: Clock;
  /** The bucket of snapshots, releases and packages. */
  readonly bucket: string;
  /** The CodeBuild project that builds applications. */
  readonly project: string;
  /** The prefix of the names of the applications' functions. */
  readonly functionPrefix: string;
  /** The ARN of the role that all applications run with. */
  readonly appRole: string;
  /** The ARN of the layer with the Lambda Web Adapter. */
  readonly adapterLayer: string;
  /**
   * The ARN of the function that is notified when an instance of an application ends; undefined where nothing is
   * started.
   */
  readonly watcher: string | undefined;
  /** The key that seals the applications' variables. */
  readonly sealingKey: string;
}
