import { KMSClient } from '@aws-sdk/client-kms';
import { once } from '../../core/concurrency.ts';
import { requestLimits } from './client-settings.ts';

export const kms = once(() => new KMSClient(requestLimits(5_000)));
