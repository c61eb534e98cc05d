import { publicUrl } from '../adapters/aws/environment.ts';
import { httpTrigger } from '../triggers/http.ts';
import { answerUnknown } from './unknown.ts';

export const handler = httpTrigger(answerUnknown, publicUrl());
