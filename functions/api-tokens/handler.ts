import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { tokens } from './tokens.ts';

const { publicUrl, ...ports } = await connect();

export const handler = httpTrigger(tokens(ports), publicUrl);
