import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { optionalVariable, publicUrl, variable } from '../adapters/aws/environment.ts';
import { readSecret } from '../adapters/aws/secrets.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { chooseHost } from '../adapters/hosts/choose.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { hookSecrets } from '../adapters/secrets/hook-secrets.ts';
import { senderRegistry, senders } from '../adapters/senders/registry.ts';
import { signatureVerifier } from '../adapters/senders/signatures/verifier.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { AcceptPorts } from './ports.ts';

const registry = senderRegistry(senders);

/** Returns the ports of the webhook endpoint, apart from `trace`. */
export function connect(): Omit<AcceptPorts, 'trace'> & { readonly publicUrl: string | null } {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const hosts = parseHosts(variable('REPOSITORY_HOSTS'));
  const urls = { check: variable('QUEUE_CHECK'), report: variable('QUEUE_REPORT') };
  return {
    log: dynamoDbLog({ ...table, payloads: variable('PAYLOADS_TABLE') }),
    facts: dynamoDbFacts(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    clock: systemClock,
    recognise: registry.recognise,
    hookSecrets: hookSecrets({ id: optionalVariable('HOOK_SECRETS'), read: readSecret, clock: systemClock }),
    verify: connectSignatures(systemClock),
    hostName: (kind, hostname) => chooseHost(hosts, kind, hostname)?.name ?? null,
    hostNames: hosts.map(({ name }) => name),
    defaultBranch: variable('DEFAULT_BRANCH'),
    publicUrl: publicUrl(),
  };
}

/** Returns the check of signatures, which fetches published keys over the network. */
export function connectSignatures(clock: Pick<Clock, 'now'>): AcceptPorts['verify'] {
  return signatureVerifier(registry.signatureOf, { fetchText, clock });
}

/** The HTTP client is loaded only when there is such an address to request. */
async function fetchText(address: string): Promise<string> {
  const { textAt } = await import('../adapters/hosts/http/text-at.ts');
  return textAt(address);
}
