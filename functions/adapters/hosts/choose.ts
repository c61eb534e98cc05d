import type { HostConfig } from './configuration.ts';

/**
 * The configured host that a payload means: the one of that kind whose API or page address has this host name (with its
 * port, when it has one). Without a host name the first of the kind. Null when none fits: it is then not called.
 */
export function chooseHost(configs: readonly HostConfig[], kind: string, hostname: string | null): HostConfig | null {
  const wanted = hostname?.toLowerCase() ?? null;
  const fits = (config: HostConfig) => wanted === null || addressesOf(config).includes(wanted);
  return configs.find((config) => config.kind === kind && fits(config)) ?? null;
}

function addressesOf({ api, web }: HostConfig): readonly string[] {
  return [new URL(web).host, new URL(api).host];
}
