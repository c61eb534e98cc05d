import type { RegisterPorts } from '../../changes-register/register.ts';
import { connectConnections } from './connections.ts';
import { variable } from './environment.ts';
import { connectReader } from './reader.ts';

/** What keeping the book of connections needs. */
export function connectRegister(): RegisterPorts {
  return { connections: connectConnections(), log: connectReader() };
}

/** The id of the WebSocket API that only the service's own functions can open, from `INSIDE_API`. */
export function insideApi(): string {
  return variable('INSIDE_API');
}
