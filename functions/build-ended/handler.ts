import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { logTable, queueTo } from '../triggers/aws-ports.ts';
import { buildTrigger } from '../triggers/platform-events.ts';
import { resume } from './resume.ts';

const ports = { log: dynamoDbLog(logTable()), queue: queueTo('extract') };

export const handler = buildTrigger((snapshot) => resume(snapshot, ports));
