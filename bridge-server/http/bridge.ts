import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import { type AddressInfo, isIPv6 } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { EndOfLife } from '../end-of-life.ts';
import { noTracer } from '../observe/no-tracer.ts';
import { OpenSandboxes } from '../open-sandboxes.ts';
import { SharedBackend } from '../shared-backend.ts';
import { Admission } from './admission.ts';
import { makeApp } from './app.ts';
import type { BridgeOptions, McpService } from './bridge-options.ts';
import { ByteBudget } from './byte-budget.ts';
import { CommandOperations } from './command-operations.ts';
import { ConnectionBudget } from './connection-budget.ts';
import { Connections } from './connections.ts';
import { GitProxy } from './git/git-proxy.ts';
import { LiveTokens } from './live-tokens.ts';
import { type Logger, loggedError, makeLog } from './log.ts';
import { Metrics } from './metrics.ts';
import { type OriginRules, refuseOrigin } from './origin-guard.ts';
import { rawAnswer } from './raw-answer.ts';
import type { Service } from './service.ts';
import { Sockets } from './sockets.ts';
import { answerUpgrade, type UpgradeContext } from './upgrades.ts';

/** A bridge that listens. Disposing of it stops accepting, ends streams, closes sockets and sandboxes. */
export interface Bridge extends AsyncDisposable {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /**
   * Connections that are made from now on get this certificate, as PEM; the others go on.
   * @throws invalid-argument when the two are no pair, or the bridge was started without TLS: nothing changes
   */
  renewTls(identity: NonNullable<BridgeOptions['tls']>): void;
}

/**
 * Starts the HTTP server of a bridge. Resolves when it listens.
 * @throws invalid-argument for a server of git that is no name; what the system says when it cannot listen there
 */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const log = makeLog(options.log);
  const scheme = options.tls ? 'https' : 'http';
  const rules: OriginRules = {
    allowedHosts: [...options.allowedHosts, isIPv6(options.host) ? `[${options.host}]` : options.host],
    allowedOrigins: options.allowedOrigins,
    scheme,
  };
  const stop = new AbortController();
  const sandboxes = new OpenSandboxes(options.backend, {
    onCloseFailed: (sandbox, error) => log.error({ sandbox, ...loggedError(error) }, 'closing failed'),
  });
  const liveTokens = new LiveTokens(options.tokens, {
    recheckMs: options.tokenRecheckMs ?? limits.tokenRecheckMs,
    onFailure: (error) => log.error(loggedError(error), 'tokens were not looked at'),
  });
  const service: Service = {
    backend: options.backend,
    sandboxes,
    tokens: options.tokens,
    liveTokens,
    git: new GitProxy(options.git ?? { hosts: [] }),
    mcp: options.mcp?.({ onProblem: (why) => log.info({ why }, 'a request of MCP is wrong') }),
    metrics: new Metrics(() => sandboxes.count),
    tracer: options.tracer ?? noTracer,
    log,
    doctor: options.doctor,
    ready: options.ready ?? (async () => []),
    uploads: new ByteBudget({
      mostBytes: limits.httpUploadsBytes,
      mostBytesOfAccount: limits.httpUploadsOfAccountBytes,
      name: 'uploads',
      refusal: 'Cannot take the upload',
    }),
    mcpAnswers: new ByteBudget({
      mostBytes: limits.mcpAnswersBytes,
      mostBytesOfAccount: limits.mcpAnswersOfAccountBytes,
      name: 'MCP answers',
      refusal: 'Cannot answer the request',
    }),
    operations: new CommandOperations(({ stdout, stderr }) => stdout.length + stderr.length),
    commandBeatMs: options.commandBeatMs ?? limits.heartbeatMs,
    stopping: stop.signal,
  };
  const endOfLife = new EndOfLife({
    backend: options.backend,
    sandboxes,
    everyMs: limits.expiryCheckMs,
    onDeleted: (sandbox) => log.info({ sandbox }, 'deleted at its end'),
    onFailed: (sandbox, error) => log.warn({ sandbox, ...loggedError(error) }, 'not deleted at its end'),
  });
  const sockets = new Sockets({ onError: (error) => log.warn(loggedError(error), 'socket failed') });
  const admission = new Admission(options.tokens, {
    rates: options.rates ?? limits.requestRates,
    onAuthenticated: (socket, account) => budget.authenticate(socket, account),
  });
  const app = makeApp(service, { admission, allowedOrigins: options.allowedOrigins });
  const answer = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const onSocket: UpgradeContext['onSocket'] = (socket, owner) =>
    options.onSocket(socket, owner, {
      backend: new SharedBackend(options.backend, { sandboxes, account: owner.account }),
      onFailure: (error) => log.error(loggedError(error), 'serving failed'),
      whileValid: (onEnd) => liveTokens.hold(owner, onEnd),
      renewToken: () => options.tokens.renew(owner.id),
    });

  const server = createHttpServer(options, (request, response) => {
    const refused = refuseOrigin(request, rules);
    if (!refused) return void answer(request, response);
    const { status, headers, body } = rawAnswer(refused);
    log.warn({ method: request.method, why: refused.message, status }, 'refused');
    response.writeHead(status, headers).end(body);
  });
  const connections = new Connections(server);
  const budget = new ConnectionBudget(server, {
    mostOfAddress: options.connectionsOfAddress ?? limits.httpUnauthenticatedOfAddress.usual,
  });
  server.on('upgrade', (request, socket, head) => {
    const context = { service, sockets, admission, rules, onSocket };
    answerUpgrade({ request, socket, head }, context).catch((error) => {
      log.error(loggedError(error), 'upgrade failed');
      socket.destroy();
    });
  });
  server.listen(options.port, options.host);
  await once(server, 'listening');
  // A connection that cannot be accepted, as where the system is out of descriptors, is no reason to end.
  server.on('error', (error) => log.error(loggedError(error), 'accepting failed'));
  const { address, family, port } = server.address() as AddressInfo;
  const url = `${scheme}://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
  log.info({ url }, 'listening');

  void openAll(options.running ?? [], { sandboxes, log });
  let stopped: Promise<void> | undefined;
  return {
    url,
    renewTls: (identity) => renewTls(server, identity),
    [Symbol.asyncDispose]: () => {
      const { mcp, operations } = service;
      operations[Symbol.dispose]();
      stopped ??= logEnd(
        () => stopBridge({ connections, sockets, mcp, sandboxes, liveTokens, endOfLife, stop }),
        { log, open: sandboxes.count },
      );
      return stopped;
    },
  };
}

function createHttpServer(
  { tls }: BridgeOptions,
  listener: (request: IncomingMessage, response: ServerResponse) => void,
): Server | TlsServer {
  const options = {
    maxHeaderSize: limits.httpHeaderBytes,
    headersTimeout: limits.httpHeadersTimeoutMs,
    requestTimeout: limits.httpRequestTimeoutMs,
    connectionsCheckingInterval: limits.httpHeadersTimeoutMs / 2,
    requireHostHeader: true,
  };
  const handshakeTimeout = limits.httpHeadersTimeoutMs;
  return tls
    ? createTlsServer({ ...options, ...tls, handshakeTimeout }, listener)
    : createServer(options, listener);
}

function renewTls(server: Server | TlsServer, { cert, key }: NonNullable<BridgeOptions['tls']>): void {
  const what = 'Cannot renew the certificate';
  if (!('setSecureContext' in server)) {
    throw new SandboxError('invalid-argument', `${what}: the bridge speaks plain HTTP`);
  }
  try {
    server.setSecureContext({ cert, key });
  } catch (cause) {
    throw new SandboxError('invalid-argument', `${what}: ${(cause as Error).message}`, { cause });
  }
}

/** One by one: a client that asks for one of them meanwhile does not wait for the others. */
async function openAll(
  ids: readonly string[],
  { sandboxes, log }: { readonly sandboxes: OpenSandboxes; readonly log: Logger },
): Promise<void> {
  for (const sandbox of ids) {
    try {
      using _opened = await sandboxes.borrow(sandbox);
      log.info({ sandbox }, 'goes on');
    } catch (error) {
      log.warn({ sandbox, ...loggedError(error) }, 'does not go on');
    }
  }
}

/** Tells the log of the beginning of the end, and of how it ended. */
async function logEnd(
  end: () => Promise<void>,
  { log, open }: { readonly log: Logger; readonly open: number },
): Promise<void> {
  const startedMs = performance.now();
  log.info({ open }, 'stopping');
  try {
    await end();
    log.info({ durationMs: Math.round(performance.now() - startedMs) }, 'stopped');
  } catch (error) {
    log.error(loggedError(error), 'stopped with a failure');
    throw error;
  }
}

/** Lets what is under way end within `limits.stopTimeoutMs`, and then ends it. */
async function stopBridge(parts: {
  connections: Connections;
  sockets: Sockets;
  mcp: McpService | undefined;
  sandboxes: OpenSandboxes;
  liveTokens: LiveTokens;
  endOfLife: EndOfLife;
  stop: AbortController;
}): Promise<void> {
  const { connections, sockets, mcp, sandboxes, liveTokens, endOfLife, stop } = parts;
  stop.abort();
  const cut = Promise.withResolvers<void>();
  const deadline = setTimeout(() => {
    sockets.terminate();
    connections.destroy();
    cut.resolve();
  }, limits.stopTimeoutMs);
  try {
    // A session of MCP may wait for a sandbox that is being made, which only the end of `sandboxes` gives up.
    const mcpEnded = Promise.race([mcp?.[Symbol.asyncDispose](), cut.promise]);
    await Promise.all([connections.close(), sockets.close(), mcpEnded]);
  } finally {
    clearTimeout(deadline);
    liveTokens[Symbol.dispose]();
    await endOfLife[Symbol.asyncDispose]();
    await sandboxes[Symbol.asyncDispose]();
  }
}
