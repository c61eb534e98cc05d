import { httpTrigger } from '../triggers/http.ts';
import { change } from './change.ts';
import { connect } from './connect.ts';

const { log, publicUrl } = connect();

export const handler = httpTrigger(change(log), publicUrl);
