import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { streamLimits } from '../triggers/aws-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { logs } from './logs.ts';

const platform = await configuredPlatform(systemClock);

const output = await platform.output();

export const handler = streamTrigger(logs({ output, ...streamLimits() }), publicUrl());
