import type { IncomingMessage } from 'node:http';
import { isIPv6 } from 'node:net';
import { SandboxError } from '../../protocol/errors.ts';

export interface OriginRules {
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  readonly scheme: 'http' | 'https';
}

interface HostName {
  readonly name: string;
  readonly port: string | undefined;
}

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9_-]+(?:\.[a-z0-9_-]+)*)(?::(\d{1,5}))?$/;

/**
 * Why a request is turned away before anyone looks at it, or `undefined`. A page that is not allowed
 * can make a browser send requests here, but it cannot forge these headers: `Host` names whom the
 * browser meant (a rebound DNS name shows), `Origin` who asks. Compared are whole parsed values,
 * never prefixes.
 */
export function refuseOrigin(request: IncomingMessage, rules: OriginRules): SandboxError | undefined {
  const refuse = (why: string) => new SandboxError('forbidden', `Cannot answer this request: ${why}`);
  // An absolute target names a host of its own, which would make the header meaningless.
  if (!request.url?.startsWith('/')) return refuse('its target is not a path');
  const hosts = valuesOf(request, 'host');
  const host = hosts.length === 1 ? parseHost(hosts[0] ?? '') : undefined;
  const isKnown = host && (isAllowedHost(host, rules.allowedHosts) || isOwnAddress(host, request.socket));
  if (!isKnown) return refuse('its Host is not allowed');
  const origins = valuesOf(request, 'origin');
  if (origins.length > 1) return refuse('it has more than one Origin');
  const [origin] = origins;
  if (origin === undefined) {
    return isForeignFetch(request) ? refuse('it comes from another site') : undefined;
  }
  if (isAllowedOrigin(origin, rules.allowedOrigins)) return undefined;
  return origin === `${rules.scheme}://${hosts[0]}` ? undefined : refuse('its Origin is not allowed');
}

/** Whether the origin is one of the allowed ones; `null`, the origin of nobody, never is. */
export function isAllowedOrigin(origin: string, allowed: readonly string[]): boolean {
  return origin !== 'null' && allowed.includes(origin);
}

/** Whether a `Host` header may be `text`: a name or an address, and perhaps a port. */
export function isHostName(text: string): boolean {
  return parseHost(text) !== undefined;
}

/** Lower-case name and port of a `Host` header; `undefined` for what is none. */
function parseHost(text: string): HostName | undefined {
  const [whole, name, port] = hostPattern.exec(text.toLowerCase()) ?? [];
  return whole === undefined || name === undefined ? undefined : { name, port };
}

function isAllowedHost(host: HostName, allowed: readonly string[]): boolean {
  if (loopbackNames.includes(host.name)) return true;
  return allowed.some((text) => {
    const entry = parseHost(text);
    return entry?.name === host.name && (entry.port === undefined || entry.port === host.port);
  });
}

/** A number cannot be rebound: who says the one that the connection came to means this machine. */
function isOwnAddress(host: HostName, { localAddress = '' }: IncomingMessage['socket']): boolean {
  // Of a client of IPv4, where IPv6 is listened on.
  const address = localAddress.replace(/^::ffff:(?=\d+\.)/, '');
  return host.name === (isIPv6(address) ? `[${address}]` : address);
}

/** Requests that a browser sends for another site without an Origin: images, scripts and forms with GET. */
function isForeignFetch(request: IncomingMessage): boolean {
  const site = request.headers['sec-fetch-site'];
  const isForeign = site === 'cross-site' || site === 'same-site';
  return isForeign && request.headers['sec-fetch-mode'] !== 'navigate';
}

/** Every value that was sent: Node keeps only the first of a header that may come once. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
