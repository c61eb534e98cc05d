import { logStreamTrigger } from '../triggers/log-stream.ts';
import { connect } from './connect.ts';
import { signal } from './signal.ts';

export const handler = logStreamTrigger(signal(connect()));
