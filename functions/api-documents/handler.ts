import { publicUrl } from '../adapters/aws/environment.ts';
import { httpTrigger } from '../triggers/http.ts';
import { answerDocument } from './documents.ts';

export const handler = httpTrigger(answerDocument, publicUrl());
