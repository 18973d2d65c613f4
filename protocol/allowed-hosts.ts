import { SandboxError } from './errors.ts';
import { limits } from './limits.ts';

/** An entry of the list of what a sandbox reaches; with a port at that one only. */
export type AllowedHost = { readonly port: number | undefined } & (
  | {
      readonly type: 'name';
      /** In lower case. */
      readonly name: string;
      /** Whether it stands for the names below it, at any depth, and not for itself. */
      readonly isBelow: boolean;
    }
  /** Of IPv4, as numbers of 32 bits. */
  | { readonly type: 'addresses'; readonly first: number; readonly last: number }
);

const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/;
const octet = '(?:0|[1-9][0-9]{0,2})';
const dotted = new RegExp(`^${octet}(?:\\.${octet}){3}$`);

/**
 * Reads `pypi.org`, `*.debian.org` for the names below it, `203.0.113.7` or `10.1.2.0/24`, each with a port as
 * `pypi.org:443` or without.
 * @throws invalid-argument
 */
export function parseAllowedHost(text: string): AllowedHost {
  const host = text.length <= limits.allowedHostCharacters ? readAllowedHost(text) : undefined;
  if (host) return host;
  const isAscii = /^[\0-\x7f]*$/.test(text);
  const message =
    `Cannot allow a sandbox to reach ${JSON.stringify(text.slice(0, 64))}: give a name (pypi.org), *. and a name for ` +
    'all below it (*.debian.org), or an address or range of IPv4 (203.0.113.7, 10.1.2.0/24), each with a port ' +
    `(pypi.org:443) or without, of at most ${limits.allowedHostCharacters} characters` +
    (isAscii ? '' : '; a name in other letters as name servers know it (xn--e1afmkfd.xn--p1ai)');
  throw new SandboxError('invalid-argument', message);
}

/** An address of IPv4 as a number of 32 bits; `undefined` for other text. */
export function readAddress(text: string): number | undefined {
  if (!dotted.test(text)) return undefined;
  const bytes = text.split('.').map(Number);
  return bytes.every((byte) => byte <= 255)
    ? bytes.reduce((number, byte) => number * 256 + byte, 0)
    : undefined;
}

function readAllowedHost(text: string): AllowedHost | undefined {
  const [, host = '', digits] = /^([^:]*)(?::([1-9][0-9]{0,4}))?$/.exec(text) ?? [];
  const port = digits === undefined ? undefined : Number(digits);
  if (port !== undefined && port > 65_535) return undefined;
  const range = readRange(host);
  if (range) return { type: 'addresses', ...range, port };
  const isBelow = host.startsWith('*.');
  const name = (isBelow ? host.slice(2) : host).toLowerCase();
  return isHostName(name) ? { type: 'name', name, isBelow, port } : undefined;
}

function readRange(text: string): { readonly first: number; readonly last: number } | undefined {
  const [, start = '', digits = '32'] = /^([0-9.]+)(?:\/(0|[1-9][0-9]?))?$/.exec(text) ?? [];
  const address = readAddress(start);
  const bits = Number(digits);
  if (address === undefined || bits > 32) return undefined;
  const size = 2 ** (32 - bits);
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

/** One whose last label is a number would be an address that is none. */
function isHostName(name: string): boolean {
  const labels = name.split('.');
  return name.length <= 253 && labels.every((each) => label.test(each)) && !/(?:^|\.)[0-9]+$/.test(name);
}
