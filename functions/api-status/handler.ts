import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { status } from './status.ts';

const { log, publicUrl } = connect();

export const handler = httpTrigger(status(log), publicUrl);
