import { reportTrigger } from '../triggers/report.ts';
import { connect } from './connect.ts';
import { report } from './report.ts';

const ports = await connect();

export const handler = reportTrigger((job) => report(job, ports));
