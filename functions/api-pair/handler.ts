import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { pair } from './pair.ts';

const { publicUrl, ...ports } = await connect();

export const handler = httpTrigger(pair(ports), publicUrl);
