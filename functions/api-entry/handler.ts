import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { change } from './change.ts';
import { connect } from './connect.ts';

const { publicUrl, ...ports } = connect();

export const handler = httpTrigger(change({ ...ports, trace }), publicUrl);
