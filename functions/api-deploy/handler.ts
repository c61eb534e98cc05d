import { optionalVariable, publicUrl, variable } from '../adapters/aws/environment.ts';
import { readSecret } from '../adapters/aws/secrets.ts';
import { chooseHost, parseHosts } from '../adapters/hosts/configuration.ts';
import { hookSecrets } from '../adapters/secrets/hook-secrets.ts';
import { senderRegistry, senders } from '../adapters/senders/registry.ts';
import { signatureVerifier } from '../adapters/senders/signatures/verifier.ts';
import { dynamoDbRefusedCalls } from '../adapters/stores/dynamodb/connections/refused-calls.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { logTable, queueTo, streamLeases } from '../triggers/aws-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { trace } from '../triggers/trace.ts';
import { deploy } from './deploy.ts';

const table = logTable();
const hosts = parseHosts(variable('REPOSITORY_HOSTS'));
const registry = senderRegistry(senders);

const ports = {
  log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
  facts: dynamoDbFacts(table),
  refused: dynamoDbRefusedCalls({ ...table, table: variable('CONNECTIONS_TABLE') }),
  queue: queueTo('check', 'report'),
  leases: streamLeases(),
  clock: systemClock,
  recognise: registry.recognise,
  hookSecrets: hookSecrets({ id: optionalVariable('HOOK_SECRETS'), read: readSecret, clock: systemClock }),
  verify: signatureVerifier(registry.signatureOf, { fetchText, clock: systemClock }),
  hostName: (kind: string, hostname: string | null) => chooseHost(hosts, kind, hostname)?.name ?? null,
  hostNames: hosts.map(({ name }) => name),
  defaultBranch: variable('DEFAULT_BRANCH'),
  trace,
};

export const handler = httpTrigger(deploy(ports), publicUrl());

/** The HTTP client is loaded only when there is such an address to request. */
async function fetchText(address: string): Promise<string> {
  const { textAt } = await import('../adapters/hosts/http/text-at.ts');
  return textAt(address);
}
