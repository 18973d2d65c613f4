import { BlockList, isIPv4, isIPv6 } from 'node:net';

/**
 * What is no public address of IPv4: the special-purpose registry of IANA (RFC 6890 and its updates),
 * multicast, and what is reserved.
 */
const special4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
];

/** Of the one range that IPv6 has for the public, what is not: among it, what carries an address of IPv4. */
const special6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [net, bits] of special4) blocked.addSubnet(net, bits, 'ipv4');
for (const [net, bits] of special6) blocked.addSubnet(net, bits, 'ipv6');
const global6 = new BlockList();
global6.addSubnet('2000::', 3, 'ipv6');

/**
 * Whether `address`, as a resolver gives it, is one of the public internet. Everything that is not
 * known to be is not: loopback, private and link-local ranges, metadata services, multicast, and
 * addresses of IPv4 inside those of IPv6.
 */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !blocked.check(address, 'ipv4');
  // A zone names an interface of this host.
  if (!isIPv6(address) || address.includes('%')) return false;
  return global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6');
}
