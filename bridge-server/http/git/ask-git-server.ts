import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { GitTarget } from './git-target.ts';
import type { PinnedAddress } from './pinned-addresses.ts';

export interface AskOptions {
  readonly addresses: readonly PinnedAddress[];
  /** Of the client's request; only what git needs of them is sent on. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Uint8Array | undefined;
  /** Ends the exchange, also while the answer is read. */
  readonly signal: AbortSignal;
  /** PEM of authorities to trust instead of the usual ones. */
  readonly ca?: string | undefined;
}

/**
 * Sends one request of git over TLS to one of `addresses`, and resolves with the head of the answer, whose
 * body the caller reads or destroys. Follows nothing.
 * @throws connection-lost, timeout
 */
export async function askGitServer(target: GitTarget, options: AskOptions): Promise<IncomingMessage> {
  const { addresses, body, signal, ca } = options;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // A connection of its own: none is left that another client's request could use.
  const agent = new Agent({ keepAlive: false });
  const sent = request(
    {
      host: target.name,
      servername: target.name,
      port: target.port,
      method: target.method,
      path: target.path,
      headers: headersFor(target, options),
      lookup: pinned(addresses),
      timeout: limits.gitIdleTimeoutMs,
      maxHeaderSize: limits.httpHeaderBytes,
      minVersion: 'TLSv1.2',
      agent,
      signal,
      ...(ca === undefined ? {} : { ca }),
    },
    resolve,
  );
  const connecting = setTimeout(() => sent.destroy(silence(target)), limits.gitConnectTimeoutMs);
  sent.once('socket', (socket) => socket.once('secureConnect', () => clearTimeout(connecting)));
  sent.on('timeout', () => sent.destroy(silence(target)));
  sent.on('error', reject);
  sent.end(body);
  try {
    return await promise;
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    if (signal.aborted) throw ended(target, signal.reason);
    const { code = 'no reason' } = cause as NodeJS.ErrnoException;
    const remedy = 'Check the name of the server of git, and that the host of this bridge reaches it.';
    throw new SandboxError('connection-lost', `Cannot reach ${target.host}: ${code}`, {
      cause,
      details: { remedy },
    });
  } finally {
    clearTimeout(connecting);
  }
}

/** What git itself would send; of the client's own words only those with a place in its protocol. */
function headersFor(target: GitTarget, { headers, body }: AskOptions): Record<string, string> {
  const kind = target.method === 'GET' ? 'advertisement' : 'result';
  const { authorization } = headers;
  const protocol = headers['git-protocol'];
  return {
    host: target.host,
    // Some servers talk to what calls itself git only.
    'user-agent': 'git/coppice',
    accept: `application/x-${target.service}-${kind}`,
    ...(authorization === undefined ? {} : { authorization }),
    ...(/^version=[0-9]$/.test(String(protocol)) ? { 'git-protocol': String(protocol) } : {}),
    ...(body === undefined
      ? {}
      : { 'content-type': `application/x-${target.service}-request`, 'content-length': String(body.length) }),
    ...(body !== undefined && headers['content-encoding'] === 'gzip' ? { 'content-encoding': 'gzip' } : {}),
  };
}

/** Answers whoever connects with the addresses that were checked, whatever it asks for. */
function pinned(addresses: readonly PinnedAddress[]): LookupFunction {
  const [first] = addresses;
  return (name, { all }, done) => {
    if (all) done(null, [...addresses]);
    else if (first) done(null, first.address, first.family);
    else done(new Error(`No address of ${name} was checked`), '', 0);
  };
}

/** @param reason of a signal: that of `AbortSignal.timeout` is told from a client that went away */
function ended({ host }: GitTarget, reason: unknown): SandboxError {
  const isLate = reason instanceof DOMException && reason.name === 'TimeoutError';
  return new SandboxError(isLate ? 'timeout' : 'aborted', `The request to ${host} was given up`, {
    cause: reason,
  });
}

function silence({ host }: GitTarget): SandboxError {
  return new SandboxError('timeout', `Cannot wait for ${host} any longer: it does not answer`, {
    details: { remedy: 'The server of git is slow, or away: try again later.' },
  });
}
