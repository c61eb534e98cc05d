import { connectPair } from '../adapters/connect/pair.ts';
import { httpTrigger } from '../triggers/http.ts';
import { pair } from './pair.ts';

export const handler = httpTrigger(pair(connectPair()));
