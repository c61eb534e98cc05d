import { isIPv4 } from 'node:net';
import * as v from 'valibot';
import type { HostDefinition } from './define-host.ts';
import { hosts as registered } from './registry.ts';

const Address = v.pipe(
  v.string('must be an address in quotes'),
  v.check(isBaseAddress, 'must be an https:// address without login, query or fragment (http:// only on this machine)'),
  v.transform((address) => address.replace(/\/+$/, '')),
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
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('REPOSITORY_HOSTS is not JSON; it must be a list like [{"name","kind","api","web"}].');
  }
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
