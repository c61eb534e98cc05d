import { publicUrl } from '../adapters/aws/environment.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, queueTo } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { entry } from './entry.ts';

const log = dynamoDbLog(logTable());
const queue = queueTo('check', 'report');

export const handler = httpTrigger(entry({ log, queue, clock: systemClock, trace }), publicUrl());
