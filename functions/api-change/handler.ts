import { publicUrl } from '../adapters/connect/public-url.ts';
import { connectReader } from '../adapters/connect/reader.ts';
import { httpTrigger } from '../triggers/http.ts';
import { change } from './change.ts';

export const handler = httpTrigger(change(connectReader()), publicUrl());
