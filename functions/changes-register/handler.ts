import { variable } from '../adapters/aws/environment.ts';
import { dynamoDbWatch } from '../adapters/stores/dynamodb/connections/watch.ts';
import { connections, logTable } from '../triggers/aws-ports.ts';
import { socketTrigger } from '../triggers/socket.ts';
import { register } from './register.ts';

const ports = { connections: connections(), watch: dynamoDbWatch(logTable()) };

// The id of the WebSocket API that only the service's functions open.
export const handler = socketTrigger(register(ports), variable('INTERNAL_API'));
