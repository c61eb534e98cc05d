import { ANY_HOST_KIND } from '../../core/payload/delivery.ts';
import type { HostConfig } from './configuration.ts';

/**
 * Returns the configured host that a payload comes from: of that kind, with the payload's host name as the address of
 * its API or its pages (with the port, if any). Without a host name, the first of the kind. Null when none matches:
 * unknown hosts are never called.
 *
 * Deliveries of CI providers that do not know the kind have the kind `any`: the host name alone decides. It may come
 * from an SSH address, so it also matches a host on another port; without a host name, there must be only one host.
 */
export function chooseHost(configs: readonly HostConfig[], kind: string, hostname: string | null): HostConfig | null {
  const wanted = hostname?.toLowerCase() ?? null;
  if (kind === ANY_HOST_KIND) return chooseAmongAll(configs, wanted);
  const fits = (config: HostConfig) => wanted === null || addressesOf(config).includes(wanted);
  return configs.find((config) => isOfKind(config, kind) && fits(config)) ?? null;
}

/**
 * Returns the configured host for `/1/auth/<segment>`: the host of that name, the first host for `repohost`, or the
 * first of that kind. Null when there is none.
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

function isOfKind(config: HostConfig, kind: string): boolean {
  return config.kind === kind || config.alsoKinds?.includes(kind) === true;
}

function hostnameOf(address: string): string {
  return address.replace(/:\d+$/, '');
}

function addressesOf({ api, web }: HostConfig): readonly string[] {
  return [new URL(web).host, new URL(api).host];
}
