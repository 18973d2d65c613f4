import { lookup } from 'node:dns';
import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { AddressPolicy } from './address-policy.ts';

/**
 * `fetch` as git needs it, to addresses that a policy allows: what a name leads to is checked and then connected to, so that
 * no later answer leads elsewhere. Follows nothing, and sends and keeps nothing of its own.
 * @throws forbidden for an address that may not be reached, and what Node throws
 */
export function fetchWithin(policy: AddressPolicy): typeof fetch {
  return async (target, { method = 'GET', headers, body, signal } = {}) => {
    const url = new URL(target instanceof Request ? target.url : target);
    const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(host) !== 0) assertWithin(policy, host, host);
    const bytes = body instanceof Uint8Array ? body : undefined;
    const request = url.protocol === 'https:' ? requestSecure : requestPlain;
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = request(
      url,
      {
        method,
        headers: { ...Object.fromEntries(new Headers(headers)), 'accept-encoding': 'identity' },
        lookup: lookupWithin(policy),
        timeout: limits.gitIdleTimeoutMs,
        maxHeaderSize: limits.httpHeaderBytes,
        agent: false,
        ...(signal ? { signal } : {}),
      },
      resolve,
    );
    sent.on('error', reject);
    sent.on('timeout', () => sent.destroy(new SandboxError('timeout', `${url.host} does not answer`)));
    sent.end(bytes);
    return toResponse(await promise);
  };
}

/** Looks a name up, and refuses it where one of its addresses may not be reached. */
function lookupWithin(policy: AddressPolicy): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, family: 4, all: true }, (error, found) => {
      const [first] = found ?? [];
      if (error || !first) return done(error ?? new Error(`${name} has no address`), '', 0);
      try {
        for (const { address } of found) assertWithin(policy, name, address);
      } catch (refused) {
        return done(refused as Error, '', 0);
      }
      if (options.all) done(null, found);
      else done(null, first.address, first.family);
    });
  };
}

/** @throws forbidden */
function assertWithin(policy: AddressPolicy, name: string, address: string): void {
  const why = policy.whyNot(address);
  if (why === undefined) return;
  throw new SandboxError('forbidden', `Cannot reach ${name} from here: ${why}`, {
    details: { remedy: 'The operator of the bridge can open addresses to sandboxes (--network-allow).' },
  });
}

/** Statuses whose answers have no body (RFC 9110). */
const bodiless = new Set([204, 205, 304]);

function toResponse(answer: IncomingMessage): Response {
  const { statusCode: status = 502, statusMessage: statusText = '' } = answer;
  const headers = new Headers();
  for (const [name, value] of Object.entries(answer.headers)) headers.set(name, String(value));
  if (!bodiless.has(status)) {
    const body = Readable.toWeb(answer) as unknown as ReadableStream<Uint8Array<ArrayBuffer>>;
    return new Response(body, { status, statusText, headers });
  }
  answer.resume();
  return new Response(null, { status, statusText, headers });
}
