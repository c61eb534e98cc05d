import { stageTrigger } from '../triggers/stage.ts';
import { connect } from './connect.ts';
import { upload } from './upload.ts';

const ports = await connect();

export const handler = stageTrigger(upload(ports), ports);
