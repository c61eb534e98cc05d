import { streamTrigger } from '../triggers/stream.ts';
import { trace } from '../triggers/trace.ts';
import { connect } from './connect.ts';
import { logs } from './logs.ts';

const { publicUrl, ...ports } = await connect();

export const handler = streamTrigger(logs({ ...ports, trace }), publicUrl);
