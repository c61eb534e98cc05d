import type { HostDefinition } from '../../../functions/adapters/hosts/define-host.ts';
import { table } from './markdown.ts';

const commit = { host: 'host', owner: 'OWNER', name: 'NAME', sha: 'SHA' };

/** Returns the generated parts of the hosts' README, by the name in their markers. */
export async function hostDocs(hosts: readonly HostDefinition[]): Promise<Readonly<Record<string, string>>> {
  return { hosts: hostTable(hosts), calls: await callTable(hosts) };
}

/** Returns one row for each kind of host: its API, and how it was tested. */
export function hostTable(hosts: readonly HostDefinition[]): string {
  const rows = hosts.map(({ name, kind, api, tested }) => [name, `\`${kind}\``, api, tested]);
  return table(['host', 'kind', 'API', 'tested with'], rows);
}

/** Returns one row for each kind of host: the calls of its API. */
export async function callTable(hosts: readonly HostDefinition[]): Promise<string> {
  const rows = hosts.map(async ({ kind, dialect, calls }) => {
    const { fileRequest, tarballRequests } = await dialect('https://HOST');
    const [tarball] = tarballRequests(commit, null);
    const paths = [`GET ${fileRequest(commit, 'FILE', null).path}`, `GET ${tarball.path}`];
    return [`\`${kind}\``, ...[...paths, calls.status, calls.compare, calls.pairing].map((call) => `\`${call}\``)];
  });
  return table(['kind', 'file', 'tarball', 'status', 'compare', 'pairing'], await Promise.all(rows));
}
