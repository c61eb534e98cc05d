import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { connect } from './connect.ts';
import { release } from './release.ts';

const { publicUrl, ...ports } = connect();

export const handler = httpTrigger(release({ ...ports, trace }), publicUrl);
