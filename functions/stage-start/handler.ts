import { stageTrigger } from '../triggers/stage.ts';
import { connect } from './connect.ts';
import { start } from './start.ts';

const ports = await connect();

export const handler = stageTrigger(start(ports), ports);
