import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { streamLimits } from '../triggers/aws-ports.ts';
import { storedUsers } from '../triggers/login/user-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { printed } from './logs.ts';

const platform = await configuredPlatform(systemClock);

const [output, runs] = await Promise.all([platform.output(), platform.runs()]);
const { accounts } = storedUsers();

export const handler = streamTrigger(printed({ output, runs, ...streamLimits(accounts) }), publicUrl());
