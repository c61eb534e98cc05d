import { LambdaClient } from '@aws-sdk/client-lambda';
import { once } from '../../core/concurrency.ts';
import { requestLimits, withoutLogging } from './client-settings.ts';

/**
 * Returns the function's client of Lambda. Its control plane limits the rate of changes, hence more attempts than
 * usual; a call of an application takes as long as that application.
 */
export const lambda = once(() => withoutLogging(new LambdaClient({ ...requestLimits(65_000), maxAttempts: 6 })));
