import { publicUrl } from '../adapters/connect/public-url.ts';
import { httpTrigger } from '../triggers/http.ts';
import { explainErrors } from './explain.ts';

export const handler = httpTrigger(explainErrors, publicUrl());
