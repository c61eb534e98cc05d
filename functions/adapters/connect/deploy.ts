import type { AcceptPorts } from '../../api-deploy/ports.ts';
import { trace } from '../../triggers/trace.ts';
import { chooseHost } from '../hosts/choose.ts';
import { parseHosts } from '../hosts/configuration.ts';
import { recognise } from '../senders/registry.ts';
import { dynamoDbFacts } from '../stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../stores/dynamodb/log.ts';
import { systemClock } from '../system/system.ts';
import { variable } from './environment.ts';
import { connectHookSecrets } from './hook-secrets.ts';
import { connectQueue } from './queues.ts';
import { connectSignatures } from './signatures.ts';
import { connectTable } from './table.ts';

/** What the webhook needs, with `REPOSITORY_HOSTS`, `DEFAULT_BRANCH` and, where they are set, `HOOK_SECRETS`. */
export function connectDeploy(): AcceptPorts {
  const table = connectTable();
  const hosts = parseHosts(variable('REPOSITORY_HOSTS'));
  return {
    log: dynamoDbLog(table),
    facts: dynamoDbFacts(table),
    queue: connectQueue(),
    clock: systemClock,
    recognise,
    hookSecrets: connectHookSecrets(),
    verify: connectSignatures(),
    hostName: (kind, hostname) => chooseHost(hosts, kind, hostname)?.name ?? null,
    defaultBranch: variable('DEFAULT_BRANCH'),
    trace,
  };
}
