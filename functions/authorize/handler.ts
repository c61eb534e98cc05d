import { connectAuthorizer } from '../adapters/connect/authorize.ts';
import { authorizerTrigger } from '../triggers/authorizer.ts';
import { authorizer } from './authorize.ts';

export const handler = authorizerTrigger(authorizer(connectAuthorizer()));
