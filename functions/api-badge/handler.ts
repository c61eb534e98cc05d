import { publicUrl } from '../adapters/connect/public-url.ts';
import { connectReader } from '../adapters/connect/reader.ts';
import { httpTrigger } from '../triggers/http.ts';
import { badge } from './badge.ts';

export const handler = httpTrigger(badge(connectReader()), publicUrl());
