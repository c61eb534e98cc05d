import { connectRegister, insideApi } from '../adapters/connect/register.ts';
import { socketTrigger } from '../triggers/socket.ts';
import { register } from './register.ts';

export const handler = socketTrigger(register(connectRegister()), insideApi());
