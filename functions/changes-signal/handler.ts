import { connectSignal } from '../adapters/connect/signal.ts';
import { logStreamTrigger } from '../triggers/log-stream.ts';
import { signal } from './signal.ts';

export const handler = logStreamTrigger(signal(connectSignal()));
