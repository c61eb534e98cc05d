import { stageTrigger } from '../triggers/stage.ts';
import { trace } from '../triggers/trace.ts';
import { check } from './check.ts';
import { connect } from './connect.ts';

const ports = connect();

export const handler = stageTrigger(check({ ...ports, trace }), ports);
