import { isIPv4 } from 'node:net';
import * as v from 'valibot';
import { jsonIn } from '../../core/json-value.ts';
import { ANY_HOST_KIND } from '../../core/payload/delivery.ts';
import { type HostDefinition, hosts as registered } from './registry.ts';

const Address = v.pipe(
  v.string('must be an address in quotes'),
  v.check(isBaseAddress, 'must be an https:// address without login, query or fragment (http:// only on this machine)'),
  v.transform((address) => address.replace(/(?<!\/)\/+$/, '')),
);
const Host = v.strictObject({
  name: v.pipe(
    v.string('must be a string'),
    v.regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'must be 1 to 32 lower-case letters, digits and dashes'),
  ),
  kind: v.string('must be a string'),
  api: Address,
  web: Address,
  downloadHosts: v.optional(
    v.array(v.pipe(v.string(), v.regex(/^[a-z0-9.-]+(?::\d+)?$/, 'must be a host name, with or without a port'))),
  ),
  privateNetwork: v.optional(v.boolean('must be true or false')),
});
const HostList = v.pipe(
  v.array(Host, 'must be a list'),
  v.minLength(1, 'must name at least one host'),
  v.check((hosts) => new Set(hosts.map(({ name }) => name)).size === hosts.length, 'must not use a name twice'),
);

export interface HostConfig extends v.InferOutput<typeof Host> {
  /** See `HostDefinition`. */
  readonly alsoKinds?: readonly string[] | undefined;
}

/**
 * Returns the hosts that `REPOSITORY_HOSTS` configures: a JSON list of `{ name, kind, api, web }`, optionally with
 * `downloadHosts` (further hosts that tarballs are redirected to) and `privateNetwork` (the names may resolve to
 * private addresses). Throws an Error whose message names each wrong setting and what it must be.
 */
export function parseHosts(json: string, definitions: readonly HostDefinition[] = registered): readonly HostConfig[] {
  const value = jsonIn(json);
  if (value === undefined)
    throw new Error('REPOSITORY_HOSTS is not JSON; it must be a list like [{"name","kind","api","web"}].');
  const result = v.safeParse(HostList, value);
  if (!result.success) throw new Error(result.issues.map(describe).join(' '));
  return result.output.map((config, index) => {
    const definition = definitions.find(({ kind }) => kind === config.kind);
    if (definition === undefined) {
      const kinds = definitions.map(({ kind }) => kind).join(', ');
      throw new Error(`REPOSITORY_HOSTS[${index}].kind must be one of: ${kinds}.`);
    }
    return definition.alsoKinds ? { ...config, alsoKinds: definition.alsoKinds } : config;
  });
}

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
 * Returns the host for `/1/auth/<segment>`: the host of that name, the first host for `repohost`, or the first of that
 * kind. Null when there is none.
 */
export function hostAt<Host extends Pick<HostConfig, 'name' | 'kind'>>(
  hosts: readonly Host[],
  segment: string,
): Host | null {
  const named = hosts.find(({ name }) => name === segment);
  const first = segment === 'repohost' ? hosts[0] : hosts.find(({ kind }) => kind === segment);
  return named ?? first ?? null;
}

function describe(issue: v.InferIssue<typeof HostList>): string {
  const path = (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  const missing = issue.received === 'undefined' ? 'is missing' : undefined;
  const unknown = issue.type === 'strict_object' && issue.expected === 'never' ? 'is not a known setting' : undefined;
  return `REPOSITORY_HOSTS${path} ${missing ?? unknown ?? issue.message}.`;
}

function isBaseAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const url = new URL(address);
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && isThisMachine(url.hostname));
}

/** Whether the host name of a URL is this machine. */
export function isThisMachine(hostname: string): boolean {
  if (hostname === 'localhost' || hostname === '[::1]') return true;
  return hostname.startsWith('127.') && isIPv4(hostname);
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
