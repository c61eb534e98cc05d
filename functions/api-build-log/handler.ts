import { streamTrigger } from '../triggers/stream.ts';
import { trace } from '../triggers/trace.ts';
import { buildLog } from './build-log.ts';
import { connect } from './connect.ts';

const { publicUrl, ...ports } = await connect();

export const handler = streamTrigger(buildLog({ ...ports, trace }), publicUrl);
