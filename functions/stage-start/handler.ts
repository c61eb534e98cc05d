import { stageTrigger } from '../triggers/stage.ts';
import { trace } from '../triggers/trace.ts';
import { connect } from './connect.ts';
import { start } from './start.ts';

const ports = await connect();

export const handler = stageTrigger(start({ ...ports, trace }), ports);
