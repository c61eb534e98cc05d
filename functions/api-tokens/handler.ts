import { publicUrl } from '../adapters/aws/environment.ts';
import { connectApiTokens } from '../adapters/platform/platforms.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { httpTrigger } from '../triggers/http.ts';
import { tokens } from './tokens.ts';

export const handler = httpTrigger(tokens({ tokens: await connectApiTokens(systemClock) }), publicUrl());
