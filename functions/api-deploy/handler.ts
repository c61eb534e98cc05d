import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { connect } from './connect.ts';
import { deploy } from './deploy.ts';

const { publicUrl, ...ports } = connect();

export const handler = httpTrigger(deploy({ ...ports, trace }), publicUrl);
