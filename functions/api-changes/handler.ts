import { connectChanges } from '../adapters/connect/changes.ts';
import { publicUrl } from '../adapters/connect/public-url.ts';
import { streamTrigger } from '../triggers/stream.ts';
import { trace } from '../triggers/trace.ts';
import { changes } from './changes.ts';

export const handler = streamTrigger(changes(connectChanges(trace)), publicUrl());
