import { publicUrl } from '../adapters/connect/public-url.ts';
import { connectReader } from '../adapters/connect/reader.ts';
import { httpTrigger } from '../triggers/http.ts';
import { status } from './status.ts';

export const handler = httpTrigger(status(connectReader()), publicUrl());
