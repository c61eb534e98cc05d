import { stageTrigger } from '../triggers/stage.ts';
import { connect } from './connect.ts';
import { fetchTarball } from './fetch.ts';

const ports = connect();

export const handler = stageTrigger(fetchTarball(ports), ports);
