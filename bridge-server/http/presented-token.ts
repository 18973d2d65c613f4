import type { IncomingHttpHeaders } from 'node:http';
import { limits } from '../../protocol/limits.ts';

/** The subprotocol that a client of a WebSocket asks for, and gets. */
export const socketProtocol = 'coppice.v1';

const tokenProtocol = 'coppice.token.';
// Characters that are allowed both in a bearer token (RFC 6750) and in the name of a subprotocol (RFC 6455).
const tokenPattern = /^[A-Za-z0-9._~+-]+$/;

/**
 * The token of a request: `Authorization: Bearer …`, or for a WebSocket, whose headers a page cannot
 * set, the subprotocol `coppice.token.…`. Never from the URL, which ends up in logs and histories.
 */
export function presentedToken(headers: IncomingHttpHeaders): string | undefined {
  const [scheme = '', bearer] = headers.authorization?.split(' ') ?? [];
  if (scheme.toLowerCase() === 'bearer') return wellFormed(bearer);
  if (headers.upgrade === undefined) return undefined;
  const offered = offeredProtocols(headers).find((name) => name.startsWith(tokenProtocol));
  return wellFormed(offered?.slice(tokenProtocol.length));
}

/**
 * The token of a request that the git proxy passes on: in a header of its own, since `Authorization` is
 * for the server of git.
 */
export function gitToken(headers: IncomingHttpHeaders): string | undefined {
  const token = headers['x-coppice-token'];
  return wellFormed(typeof token === 'string' ? token : undefined);
}

/** The subprotocols that a client offers. */
export function offeredProtocols(headers: IncomingHttpHeaders): string[] {
  const names = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? [];
  return names.filter((name) => name !== '');
}

function wellFormed(token: string | undefined): string | undefined {
  if (token === undefined || token.length > limits.tokenBytes || !tokenPattern.test(token)) return undefined;
  return token;
}
