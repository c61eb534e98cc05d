import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, streamLimits } from '../triggers/aws-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { buildLog } from './build-log.ts';

const platform = await configuredPlatform(systemClock);

const log = dynamoDbReader(logTable());
const [output, accounts] = await Promise.all([platform.builds(), platform.login()]);

export const handler = streamTrigger(buildLog({ log, output, ...streamLimits(accounts) }), publicUrl());
