import { buildTrigger } from '../triggers/build.ts';
import { connect } from './connect.ts';
import { resume } from './resume.ts';

const ports = connect();

export const handler = buildTrigger((snapshot) => resume(snapshot, ports));
