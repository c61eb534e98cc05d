import type { CheckPorts } from '../../stage-check/ports.ts';
import { trace } from '../../triggers/trace.ts';
import { ciConfigs } from '../senders/ci-config/registry.ts';
import { dynamoDbFacts } from '../stores/dynamodb/facts.ts';
import { numberVariable } from './environment.ts';
import { connectHosts } from './hosts.ts';
import { connectTable } from './table.ts';

/** What the stage `check` needs beside what every stage has: hosts, facts, CI configurations, `HOLD_MINUTES`. */
export function connectCheck(stage: Pick<CheckPorts, 'log' | 'queue' | 'clock'>): CheckPorts {
  return {
    ...stage,
    ...connectHosts(),
    facts: dynamoDbFacts(connectTable()),
    ciConfigs,
    trace,
    holdMinutes: numberVariable('HOLD_MINUTES'),
  };
}
