import { publicUrl } from '../adapters/aws/environment.ts';
import { configuredPlatform } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { httpTrigger } from '../triggers/http.ts';
import { tokens } from './tokens.ts';

const platform = await configuredPlatform(systemClock);

export const handler = httpTrigger(tokens({ tokens: await platform.tokens() }), publicUrl());
