import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { streamLimits } from '../triggers/aws-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { printed } from './logs.ts';

const platform = await configuredPlatform(systemClock);

const [output, runs, accounts] = await Promise.all([platform.output(), platform.runs(), platform.login()]);

export const handler = streamTrigger(printed({ output, runs, ...streamLimits(accounts) }), publicUrl());
