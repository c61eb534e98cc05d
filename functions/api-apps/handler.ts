import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { apps } from './apps.ts';
import { connect } from './connect.ts';

const { publicUrl, ...ports } = await connect();

export const handler = httpTrigger(apps({ ...ports, trace }), publicUrl);
