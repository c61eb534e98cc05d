import { CodeBuildClient } from '@aws-sdk/client-codebuild';
import { once } from '../../core/concurrency.ts';
import { requestLimits, withoutLogging } from './client-settings.ts';

/** Returns the function's CodeBuild client. */
export const codeBuild = once(() => withoutLogging(new CodeBuildClient(requestLimits(10_000))));
