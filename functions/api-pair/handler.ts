import { connectPair } from '../adapters/connect/pair.ts';
import { publicUrl } from '../adapters/connect/public-url.ts';
import { httpTrigger } from '../triggers/http.ts';
import { pair } from './pair.ts';

export const handler = httpTrigger(pair(connectPair()), publicUrl());
