import { publicUrl } from '../adapters/aws/environment.ts';
import { httpTrigger } from '../triggers/http.ts';
import { storedUsers } from '../triggers/login/user-ports.ts';
import { tokens } from './tokens.ts';

export const handler = httpTrigger(tokens({ tokens: storedUsers().apiTokens }), publicUrl());
