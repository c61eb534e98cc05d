import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** `public`: on the internet; `private`: this machine or its network; `never`: a range that is never called. */
type AddressKind = 'public' | 'private' | 'never';

/**
 * ipaddr.js names for the ranges of https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6
 * counterpart.
 */
const kinds = new Map<string, AddressKind>([
  ['unicast', 'public'],
  ['private', 'private'],
  ['loopback', 'private'],
  ['carrierGradeNat', 'private'],
  ['uniqueLocal', 'private'],
]);
/** NAT64: the last 32 bits are the IPv4 address that the gateway connects to. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** The metadata service of AWS in IPv6. In IPv4 it is link-local. */
const metadataService = ipaddr.IPv6.parseCIDR('fd00:ec2::254/128');

/**
 * Returns the kind of an IP address; `never` for any other string. An IPv4-mapped IPv6 address counts as the IPv4
 * address. All other special-purpose ranges are `never`: link-local, multicast, documentation, tunnels such as 6to4.
 */
export function addressKind(address: string): AddressKind {
  // The library alone would accept `127.1` and octal digits too.
  if (isIP(address) === 0) return 'never';
  const parsed = ipaddr.process(address);
  if (parsed.kind() === 'ipv6') {
    if (parsed.match(metadataService)) return 'never';
    if (parsed.match(nat64)) return kindOf(ipaddr.fromByteArray(parsed.toByteArray().slice(12)));
  }
  return kindOf(parsed);
}

function kindOf(address: ReturnType<typeof ipaddr.process>): AddressKind {
  return kinds.get(address.range()) ?? 'never';
}
