import { streamTrigger } from '../triggers/stream.ts';
import { trace } from '../triggers/trace.ts';
import { changes } from './changes.ts';
import { connect } from './connect.ts';

const ports = await connect(trace);

export const handler = streamTrigger(changes(ports), ports.publicUrl);
