import { socketTrigger } from '../triggers/socket.ts';
import { connect } from './connect.ts';
import { register } from './register.ts';

const { internalApi, ...ports } = connect();

export const handler = socketTrigger(register(ports), internalApi);
