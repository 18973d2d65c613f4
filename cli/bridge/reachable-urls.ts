import type { X509Certificate } from 'node:crypto';
import { isIP, isIPv6 } from 'node:net';
import { ownMachineNames } from '../../protocol/content-security-policy.ts';

/** A URL under which clients reach a bridge. */
export interface ReachableUrl {
  readonly url: string;
  /**
   * Whether a page may connect there: its policy (`connect-src`) lets it use TLS, or its own machine by a name
   * that such a policy can say, which `[::1]` is not.
   */
  readonly fromPages: boolean;
}

export interface Surroundings {
  /** The addresses of this machine. */
  readonly addresses: readonly string[];
  /** Names that the bridge answers to, each perhaps with a port. */
  readonly names: readonly string[];
  /** What it proves itself with; without one it speaks plain HTTP. */
  readonly certificate?: X509Certificate | undefined;
}

/** Of a machine with many networks, addresses that are told. */
const mostAddresses = 8;

/**
 * Where to reach a bridge that listens at `url`, the best first; never an address that stands for all of them.
 * With a certificate, those that it is for, unless it is for none of them.
 */
export function reachableUrls(url: string, surroundings: Surroundings): ReachableUrl[] {
  const { names, certificate } = surroundings;
  const { protocol, port, hostname } = new URL(url);
  const suffix = port === '' ? '' : `:${port}`;
  const found = addressesBehind(hostname.replace(/^\[|\]$/g, ''), surroundings.addresses);
  // Two words for one place, unless a certificate is for one of them only.
  const isNumberEnough = !certificate && found.includes('127.0.0.1');
  const numbers = isNumberEnough ? found.filter((each) => each !== 'localhost') : found;
  // A plain bridge's names are those of a proxy, of whose port and scheme nothing is known.
  const named = certificate ? names.map((name) => (/:\d+$/.test(name) ? name : `${name}${suffix}`)) : [];
  const hosts = [...named, ...numbers.map((each) => `${isIPv6(each) ? `[${each}]` : each}${suffix}`)];
  const all = [...new Set(hosts)].map((host) => reachable(new URL(`${protocol}//${host}`)));
  const proven = certificate ? all.filter((each) => isFor(certificate, new URL(each.url).hostname)) : all;
  return proven.length > 0 ? proven : all;
}

/** Whether clients who look at the certificate take it for that of `hostname`, as URLs have it. */
export function isFor(certificate: X509Certificate, hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '');
  const found = isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name);
  return found !== undefined;
}

function addressesBehind(address: string, own: readonly string[]): string[] {
  // A page cannot be let connect to [::1]; browsers find that under this name too.
  if (address === '::1') return ['localhost', '::1'];
  if (address === '127.0.0.1') return ['127.0.0.1', 'localhost'];
  if (address !== '0.0.0.0' && address !== '::') return [address];
  // Whoever listens on all of IPv6 hears IPv4 as well.
  const heard = own.filter((each) => address === '::' || !isIPv6(each));
  return ['127.0.0.1', 'localhost', ...heard.filter(isFarReaching).slice(0, mostAddresses)];
}

/** Leaves out the loopback, and addresses that mean something on one cable only. */
function isFarReaching(address: string): boolean {
  return !/^(?:127\.|169\.254\.|::1$|fe[89ab])/i.test(address);
}

function reachable({ origin, protocol, hostname }: URL): ReachableUrl {
  return { url: origin, fromPages: protocol === 'https:' || ownMachineNames.includes(hostname) };
}
