import { publicUrl, variable } from '../adapters/aws/environment.ts';
import { parseHosts } from '../adapters/hosts/configuration.ts';
import { repositoryHosts, tokenAccess } from '../triggers/host-ports.ts';
import { httpTrigger } from '../triggers/http.ts';
import { storedUsers } from '../triggers/login/user-ports.ts';
import { pair } from './pair.ts';

/** Pairing calls a host up to three times, and API Gateway times out after 29 seconds. */
const HOST_TIMEOUTS = { connectMs: 2_000, firstByteMs: 5_000, idleMs: 2_000 };

const configured = parseHosts(variable('REPOSITORY_HOSTS'));
const hosts = repositoryHosts(HOST_TIMEOUTS);

const ports = {
  ...tokenAccess(),
  accounts: storedUsers().accounts,
  hostNames: configured.map(({ name }) => name),
  hostAt: hosts.at,
};

export const handler = httpTrigger(pair(ports), publicUrl());
