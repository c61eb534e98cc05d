import type { PairPorts } from '../../api-pair/pair.ts';
import { version } from '../../core/version.ts';
import { hostAt } from '../hosts/choose.ts';
import { parseHosts } from '../hosts/configuration.ts';
import { openHosts } from '../hosts/registry.ts';
import { httpAccounts } from '../platform/accounts.ts';
import { variable } from './environment.ts';
import { serviceTokenWhenNeeded } from './service-token.ts';
import { connectTokens } from './tokens.ts';

/** Pairing asks a host up to three times, and the gateway gives up after 29 seconds. */
const timeouts = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 2_000 };

/** What pairing needs, with `REPOSITORY_HOSTS` and `PLATFORM_URL`. */
export function connectPair(): PairPorts {
  const configured = parseHosts(variable('REPOSITORY_HOSTS'));
  const hosts = openHosts(configured, { userAgent: `deployment-webhooks/${version}`, timeouts });
  return {
    ...connectTokens(),
    accounts: httpAccounts({ url: variable('PLATFORM_URL'), serviceToken: serviceTokenWhenNeeded() }),
    hostNames: configured.map(({ name }) => name),
    hostAt: (segment) => {
      const config = hostAt(configured, segment);
      return config && hosts.find(config.name);
    },
  };
}
