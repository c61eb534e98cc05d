import { anyHostKind } from '../../core/payload/delivery.ts';
import type { HostConfig } from './configuration.ts';

/**
 * The configured host that a payload means: the one of that kind whose API or page address has this host name (with its
 * port, when it has one). Without a host name the first of the kind. Null when none fits: it is then not called. Gitea
 * and Forgejo count as one kind, because they send each other's headers.
 *
 * The kind `any`, of CI providers that do not know it, leaves the choice to the host name. Since they may have it from an
 * SSH address, it then also fits a host on another port; without a host name only a host that is the only one fits.
 */
export function chooseHost(configs: readonly HostConfig[], kind: string, hostname: string | null): HostConfig | null {
  const wanted = hostname?.toLowerCase() ?? null;
  if (kind === anyHostKind) return chooseAmongAll(configs, wanted);
  const fits = (config: HostConfig) => wanted === null || addressesOf(config).includes(wanted);
  return configs.find((config) => family(config.kind) === family(kind) && fits(config)) ?? null;
}

/**
 * The configured host that an address of the service means, as in `/1/auth/<segment>`: a host's name; or `repohost`, the
 * first one; or a kind, the first of it. Null when there is none.
 */
export function hostAt(configs: readonly HostConfig[], segment: string): HostConfig | null {
  const named = configs.find(({ name }) => name === segment);
  const first = segment === 'repohost' ? configs[0] : configs.find(({ kind }) => kind === segment);
  return named ?? first ?? null;
}

function chooseAmongAll(configs: readonly HostConfig[], wanted: string | null): HostConfig | null {
  if (wanted === null) return configs.length === 1 ? (configs[0] ?? null) : null;
  const exact = configs.find((config) => addressesOf(config).includes(wanted));
  const portless = configs.filter((config) => addressesOf(config).some((address) => hostnameOf(address) === wanted));
  return exact ?? (portless.length === 1 ? (portless[0] ?? null) : null);
}

function family(kind: string): string {
  return kind === 'forgejo' ? 'gitea' : kind;
}

function hostnameOf(address: string): string {
  return address.replace(/:\d+$/, '');
}

function addressesOf({ api, web }: HostConfig): readonly string[] {
  return [new URL(web).host, new URL(api).host];
}
