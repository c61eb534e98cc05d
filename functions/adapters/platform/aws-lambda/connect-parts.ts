import type { Clock } from '../../../core/ports/system.ts';
import { codeBuild } from '../../aws/code-build.ts';
import { kms } from '../../aws/kms.ts';
import { lambda } from '../../aws/lambda.ts';
import { cloudWatchLogs } from '../../aws/logs.ts';
import { platformPartNames } from '../../aws/platform/parts.ts';
import { watcherArn } from '../../aws/platform/watcher.ts';
import { s3 } from '../../aws/s3.ts';
import { connectTable } from '../in-table/connect-table.ts';
import type { LambdaPlatformParts } from './parts.ts';

/** Returns the parts of the platform on AWS Lambda, with the clients of this function. */
export function connectParts(clock: Clock): LambdaPlatformParts {
  return {
    ...platformPartNames(),
    watcher: watcherArn(),
    table: connectTable(),
    lambda: lambda(),
    codeBuild: codeBuild(),
    logs: cloudWatchLogs(),
    s3: s3(),
    kms: kms(),
    clock,
  };
}
