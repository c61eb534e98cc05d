import { BlockList, isIP } from 'node:net';

/** What kind of place an IP address is: anyone's, this machine's or network's own, or one that is nobody's server. */
export type AddressKind = 'public' | 'private' | 'never';

// The registries behind the lists: https://www.iana.org/assignments/iana-ipv4-special-registry and
// https://www.iana.org/assignments/iana-ipv6-special-registry
const privateNets = blockList([
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['::1', 128],
  ['fc00::', 7],
]);
// Link-local holds the metadata service of every cloud (169.254.169.254): no repository host lives there.
const neverNets = blockList([
  ['0.0.0.0', 8],
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  ['::', 128],
  ['100::', 64],
  ['2001:db8::', 32],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
  ['fd00:ec2::254', 128],
]);
// Addresses that carry an IPv4 address inside, which a gateway would call: NAT64 and 6to4. Nothing of ours needs them
// but NAT64, whose last 32 bits are looked at.
const nat64 = blockList([['64:ff9b::', 96]]);
const carriers = blockList([
  ['2002::', 16],
  ['64:ff9b:1::', 48],
]);

/** The kind of an IP address in text form; text that is none is `never`. IPv4 inside IPv6 counts as what it carries. */
export function addressKind(address: string): AddressKind {
  const version = isIP(address);
  if (version === 0) return 'never';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (version === 6 && nat64.check(address, 'ipv6')) return addressKind(lastFourBytes(address));
  if (neverNets.check(address, family) || carriers.check(address, family)) return 'never';
  return privateNets.check(address, family) ? 'private' : 'public';
}

function blockList(nets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of nets) list.addSubnet(net, prefix, net.includes(':') ? 'ipv6' : 'ipv4');
  return list;
}

function lastFourBytes(address: string): string {
  const dotted = /(\d+\.\d+\.\d+\.\d+)$/.exec(address)?.[1];
  if (dotted !== undefined) return dotted;
  // The URL parser writes an IPv6 address in its one canonical form, with the last groups in hexadecimal.
  const groups = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const bytes = groups.map((group) => Number.parseInt(group || '0', 16)).flatMap((group) => [group >> 8, group & 255]);
  return bytes.join('.');
}
