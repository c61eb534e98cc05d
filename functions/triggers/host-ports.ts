import { variable } from '../adapters/aws/environment.ts';
import { kms } from '../adapters/aws/kms.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { type Hosts, type OpenOptions, openHosts } from '../adapters/hosts/open-hosts.ts';
import { kmsSealer } from '../adapters/sealers/kms.ts';
import { dynamoDbTokens } from '../adapters/stores/dynamodb/tokens.ts';
import { fetchToken, type TokenAccess } from '../core/host-tokens.ts';
import type { HostToken } from '../core/ports/repository-host.ts';
import { logTable } from './aws-ports.ts';

export function tokenAccess(): TokenAccess {
  return { tokens: dynamoDbTokens(logTable()), sealer: kmsSealer(kms(), variable('TOKEN_KEY')) };
}

/** Reads the users' tokens, to fetch code with. */
export function fetchTokens(): (user: string, host: string) => Promise<HostToken> {
  const access = tokenAccess();
  return (user, host) => fetchToken(access, user, host);
}

export function repositoryHosts(timeouts: OpenOptions['timeouts'] = {}): Hosts {
  return openHosts(parseHosts(variable('REPOSITORY_HOSTS')), { timeouts });
}
