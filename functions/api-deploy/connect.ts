import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { optionalVariable, variable } from '../adapters/aws/environment.ts';
import { publicUrl } from '../adapters/aws/public-url.ts';
import { readSecret } from '../adapters/aws/secrets.ts';
import { sqs } from '../adapters/aws/sqs.ts';
import { chooseHost } from '../adapters/hosts/choose.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { sqsQueue } from '../adapters/queues/sqs.ts';
import { hookSecrets } from '../adapters/secrets/hook-secrets.ts';
import { recognise } from '../adapters/senders/registry.ts';
import { publishedKeys } from '../adapters/senders/signatures/published-keys.ts';
import { verifyWithPublished } from '../adapters/senders/signatures/verify-published.ts';
import { travisKey } from '../adapters/senders/travis/signature.ts';
import { dynamoDbFacts } from '../adapters/stores/dynamodb/facts.ts';
import { dynamoDbLog } from '../adapters/stores/dynamodb/log.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { Clock } from '../core/ports/clock.ts';
import type { AcceptPorts } from './ports.ts';

/** Returns what the webhook endpoint works with, apart from `trace`. */
export function connect(): Omit<AcceptPorts, 'trace'> & { readonly publicUrl: string | null } {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const hosts = parseHosts(variable('REPOSITORY_HOSTS'));
  const urls = { check: variable('QUEUE_CHECK'), report: variable('QUEUE_REPORT') };
  return {
    log: dynamoDbLog(table),
    facts: dynamoDbFacts(table),
    queue: sqsQueue({ client: sqs(), urls, ids: systemIds }),
    clock: systemClock,
    recognise,
    hookSecrets: hookSecrets({ id: optionalVariable('HOOK_SECRETS'), read: readSecret, clock: systemClock }),
    verify: signatureVerifier(systemClock),
    hostName: (kind, hostname) => chooseHost(hosts, kind, hostname)?.name ?? null,
    defaultBranch: variable('DEFAULT_BRANCH'),
    publicUrl: publicUrl(),
  };
}

/** Returns the check of signatures, which fetches the published key where an address is configured instead of a secret. */
export function signatureVerifier(clock: Pick<Clock, 'now'>): AcceptPorts['verify'] {
  return verifyWithPublished(publishedKeys(fetchTravisKey, clock));
}

/** The HTTP client is loaded only by functions that have such an address to call. */
async function fetchTravisKey(address: string): Promise<string> {
  const { textAt } = await import('../adapters/hosts/text-at.ts');
  return travisKey(await textAt(address));
}
