import { dynamoDb } from '../adapters/aws/dynamodb.ts';
import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { hostAt } from '../adapters/hosts/choose.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { openHosts } from '../adapters/hosts/open-hosts.ts';
import { connectAccounts } from '../adapters/platform/platforms.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { systemClock } from '../adapters/system/clock.ts';
import { systemIds } from '../adapters/system/ids.ts';
import type { PairPorts } from './pair.ts';

/** Pairing calls a host up to three times, and API Gateway times out after 29 seconds. */
const HOST_TIMEOUTS = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 2_000 };

/** Returns the ports of pairing, from the function's environment. */
export async function connect(): Promise<PairPorts & { readonly publicUrl: string | null }> {
  const table = { client: dynamoDb(), table: variable('LOG_TABLE'), clock: systemClock, ids: systemIds };
  const configured = parseHosts(variable('REPOSITORY_HOSTS'));
  const hosts = openHosts(configured, { timeouts: HOST_TIMEOUTS });
  return {
    tokens: dynamoDbTokens(table),
    sealer: kmsSealer(kms(), variable('TOKEN_KEY')),
    accounts: await connectAccounts(),
    hostNames: configured.map(({ name }) => name),
    hostAt: (segment) => {
      const config = hostAt(configured, segment);
      return config && hosts.find(config.name);
    },
    publicUrl: publicUrl(),
  };
}
