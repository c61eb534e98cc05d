import { connectReport } from '../adapters/connect/report.ts';
import { reportTrigger } from '../triggers/report.ts';
import { report } from './report.ts';

const ports = connectReport();

export const handler = reportTrigger((job) => report(job, ports));
