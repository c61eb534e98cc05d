import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { answerUnknown } from './unknown.ts';

const { publicUrl } = connect();

export const handler = httpTrigger(answerUnknown, publicUrl);
