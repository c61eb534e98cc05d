import { stageTrigger } from '../triggers/stage.ts';
import { connect } from './connect.ts';
import { extract } from './extract.ts';

const ports = await connect();

export const handler = stageTrigger(extract(ports), ports);
