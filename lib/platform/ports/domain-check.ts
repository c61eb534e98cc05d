import { Resolver } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { hasCode } from '../../files/errors.ts';
import type { PublicService } from '../settings.ts';

/** Returns the addresses of a name; none without a record, null when DNS does not answer. */
export type Lookup = (name: string) => Promise<readonly string[] | null>;

interface DomainCheck {
  /** Null when DNS does not answer. */
  readonly pointsHere: boolean | null;
  /** One sentence that says what to do; null when the name leads here. */
  readonly note: string | null;
}

const TIMEOUT_MS = 2_000;

/** Returns the look-up in DNS, without the names that only this machine knows. */
export function dnsLookup(): Lookup {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 1 });
  return async (name) => {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    const hasNone = answers.some(({ status, ...answer }) => status === 'rejected' && isNoRecord(answer));
    return addresses.length > 0 || hasNone ? addresses : null;
  };
}

function isNoRecord(answer: object): boolean {
  const reason = 'reason' in answer ? answer.reason : undefined;
  return hasCode(reason, 'ENOTFOUND') || hasCode(reason, 'ENODATA');
}

/**
 * Looks up whether a name leads to this machine: to an address of its network interfaces, or to one that the service's
 * own name leads to, which may be a router's.
 */
export async function checkDomain(
  name: string,
  { service, lookup }: { readonly service: PublicService | undefined; readonly lookup: Lookup },
): Promise<DomainCheck> {
  const [serviceName] = service?.names ?? [];
  const [addresses, ofService] = await Promise.all([
    lookup(name),
    serviceName === undefined ? [] : lookup(serviceName),
  ]);
  const here = new Set([...(ofService ?? []), ...interfaceAddresses()]);
  const record =
    serviceName === undefined ? 'an A record with the address of this machine' : `a CNAME record to ${serviceName}`;
  if (addresses === null) return { pointsHere: null, note: `DNS does not answer for ${name}: it needs ${record}.` };
  if (addresses.length === 0)
    return { pointsHere: false, note: `${name} has no address in DNS yet: it needs ${record}.` };
  if (addresses.some((address) => here.has(address))) return { pointsHere: true, note: null };
  const elsewhere = `${name} leads to ${addresses.join(', ')}, which is not an address of this machine`;
  return { pointsHere: false, note: `${elsewhere}: unless a proxy is there, it needs ${record}.` };
}

function interfaceAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
