import { publicUrl } from '../adapters/aws/environment.ts';
import { connectOutput } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { streamLimits } from '../triggers/aws-ports.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { logs } from './logs.ts';

const output = await connectOutput(systemClock);

export const handler = streamTrigger(logs({ output, ...streamLimits() }), publicUrl());
