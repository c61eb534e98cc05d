import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Who is reached at an IP address: anyone, this machine or its network, or nobody that a service should call. */
export type AddressKind = 'public' | 'private' | 'never';

/** The ranges of https://www.iana.org/assignments/iana-ipv4-special-registry and its IPv6 counterpart, as the library names them. */
const kinds = new Map<string, AddressKind>([
  ['unicast', 'public'],
  ['private', 'private'],
  ['loopback', 'private'],
  ['carrierGradeNat', 'private'],
  ['uniqueLocal', 'private'],
]);
/** NAT64: the last 32 bits are the IPv4 address that a gateway calls. */
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** The metadata service of AWS in IPv6. In IPv4 it is link-local. */
const metadataService = ipaddr.IPv6.parseCIDR('fd00:ec2::254/128');

/**
 * Returns the kind of an IP address; `never` for any other string. An IPv4 address inside an IPv6 one counts as itself.
 * Every other range of a special purpose is `never`: link-local, multicast, documentation, tunnels like 6to4.
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
