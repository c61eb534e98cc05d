import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { dynamoDbReader } from '../adapters/stores/dynamodb/reader.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, streamLimits } from '../triggers/aws-ports.ts';
import { storedUsers } from '../triggers/login/user-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { buildLog } from './build-log.ts';

const platform = await configuredPlatform(systemClock);

const log = dynamoDbReader(logTable());
const output = await platform.builds();
const { accounts } = storedUsers();

export const handler = streamTrigger(buildLog({ log, output, ...streamLimits(accounts) }), publicUrl());
