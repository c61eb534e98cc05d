import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { explainErrors } from './errors/explain.ts';

export const handler = httpTrigger(explainErrors, connect().publicUrl);
