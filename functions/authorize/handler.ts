import { authorizerTrigger } from '../triggers/authorizer.ts';
import { trace } from '../triggers/trace.ts';
import { authorizer } from './authorize.ts';
import { connect } from './connect.ts';

export const handler = authorizerTrigger(authorizer({ ...(await connect()), trace }));
