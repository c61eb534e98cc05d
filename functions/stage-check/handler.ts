import { numberVariable } from '../adapters/aws/environment.ts';
import { ciConfigsOf } from '../adapters/senders/ci-config/ci-configs.ts';
import { configFiles } from '../adapters/senders/ci-config/config-files.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { logTable, queueTo, receive } from '../triggers/aws-ports.ts';
import { fetchTokens, repositoryHosts } from '../triggers/host-ports.ts';
import { stageTrigger } from '../triggers/stage.ts';
import { trace } from '../triggers/trace.ts';
import { check } from './check.ts';

/** It calls a host up to eight times, some after each other, and has a minute. */
const HOST_TIMEOUTS = { connectMs: 3_000, firstByteMs: 10_000, idleMs: 5_000 };

const ports = {
  ...receive('check'),
  queue: queueTo('check', 'fetch', 'report'),
  facts: dynamoDbFacts(logTable()),
  host: repositoryHosts(HOST_TIMEOUTS).named,
  token: fetchTokens(),
  ciConfigs: ciConfigsOf(configFiles),
  holdMinutes: numberVariable('HOLD_MINUTES'),
};

export const handler = stageTrigger(check({ ...ports, trace }), ports);
