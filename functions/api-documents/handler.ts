import { httpTrigger } from '../triggers/http.ts';
import { connect } from './connect.ts';
import { answerDocument } from './documents.ts';

export const handler = httpTrigger(answerDocument, connect().publicUrl);
