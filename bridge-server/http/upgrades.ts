import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { errorTable, SandboxError } from '../../protocol/errors.ts';
import type { ByteStream } from '../../protocol/sandbox/network.ts';
import { sandboxTables } from '../../protocol/sandbox/tables.ts';
import { refuseWire } from '../../protocol/wire/server/serve-wire.ts';
import { socketTransport } from '../../protocol/wire/transports/socket-transport.ts';
import { assertAllowed, assertSees } from '../access/allow.ts';
import type { Lease } from '../open-sandboxes.ts';
import type { TokenOwner } from '../token-contract.ts';
import type { SpanFacts } from '../trace-contract.ts';
import type { Admission } from './admission.ts';
import { invalidPart } from './answer-error.ts';
import { loggedError } from './log.ts';
import { type OriginRules, refuseOrigin } from './origin-guard.ts';
import { servePort } from './port-socket.ts';
import { answerText, rawAnswer } from './raw-answer.ts';
import { idSchema, portSchema } from './schemas.ts';
import type { Service } from './service.ts';
import { failSocket } from './socket-messages.ts';
import type { Sockets } from './sockets.ts';
import { type TerminalSize, terminalQuery } from './terminal-query.ts';
import { serveTerminal } from './terminal-socket.ts';

export interface UpgradeContext {
  readonly service: Service;
  readonly sockets: Sockets;
  readonly admission: Admission;
  readonly rules: OriginRules;
  readonly onSocket: (socket: WebSocket, owner: TokenOwner) => void;
}

interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

type Target = { readonly type: 'connect' } | SandboxTarget;

/** A socket of one sandbox. */
type SandboxTarget = { readonly id: string } & (
  | { readonly type: 'terminal'; readonly size: TerminalSize }
  | { readonly type: 'port'; readonly port: number }
);

const base = 'http://bridge.invalid';
const connectPath = '/v1/connect';
const sandboxPath = /^\/v1\/(?:sandboxes|jails)\/([^/]+)\/(?:terminal|ports\/([^/]+))$/;
const routes: Readonly<Record<Target['type'], string>> = {
  connect: connectPath,
  terminal: '/v1/sandboxes/:id/terminal',
  port: '/v1/sandboxes/:id/ports/:port',
};

/** Takes a client to the socket that it asks for, or turns it away before 101. Never rejects. */
export async function answerUpgrade(upgrade: Upgrade, context: UpgradeContext): Promise<void> {
  const { request, socket } = upgrade;
  const { service } = context;
  const giveUp = new AbortController();
  const onGone = () => giveUp.abort();
  // Without a listener, a client that resets the connection now would end the process.
  socket.on('error', onGone).on('close', onGone);
  const span = service.tracer.receive('GET', request.headers.traceparent?.toString());
  let told: SpanFacts & { readonly name?: string } = { method: 'GET', status: 101 };
  try {
    const owner = admit(request, context);
    const target = findTarget(request.url ?? '');
    const route = routes[target.type];
    told = { ...told, name: `GET ${route}`, route };
    if (target.type !== 'connect') assertMay(owner, target);
    // Admitted is answered in the end, and every answer ends in a close.
    socket.once('close', context.sockets.admit(request, owner.account));
    service.log.info({ path: request.url?.split('?')[0], owner: owner.name }, 'socket');
    if (target.type === 'connect') acceptConnection(upgrade, { context, owner });
    else {
      const signal = AbortSignal.any([giveUp.signal, service.stopping]);
      await span.run(() => acceptSandboxSocket(upgrade, { ...context, target, owner, signal }));
      told = { ...told, sandbox: target.id };
    }
  } catch (cause) {
    const error = SandboxError.from(cause);
    span.fail(error.code);
    if (error.code === 'internal') service.log.error(loggedError(cause), 'upgrade failed');
    if (error.code === 'unauthenticated' && tellPage(upgrade, { context, error })) return;
    told = { ...told, status: errorTable[error.code].status };
    // The client may keep its half open for ever.
    socket.end(answerText(rawAnswer(error)), () => socket.destroy());
  } finally {
    socket.off('close', onGone);
    span.end(told);
  }
}

/**
 * A browser hides from its page with which status an upgrade was refused. A page that may ask gets its
 * socket, and there the reason in place of a welcome. Answers whether it does; how often is limited like
 * wrong tokens are.
 */
function tellPage(
  upgrade: Upgrade,
  { context, error }: { context: UpgradeContext; error: SandboxError },
): boolean {
  const { request, socket } = upgrade;
  const { sockets } = context;
  const isPage = request.headers.origin !== undefined;
  // Not parsed: what is no URL would throw here, where nobody catches it.
  if (!isPage || request.url?.split('?')[0] !== connectPath) return false;
  try {
    socket.once('close', sockets.admit(request, 'refused'));
  } catch {
    return false;
  }
  sockets.accept(upgrade, (refused) => refuseWire(socketTransport(refused), error));
  return true;
}

function admit(request: IncomingMessage, { admission, rules, service }: UpgradeContext): TokenOwner {
  const refused = refuseOrigin(request, rules);
  if (refused) throw refused;
  admission.countAddress(request);
  const owner = admission.findOwner(request);
  if (service.stopping.aborted) throw new SandboxError('connection-lost', 'The bridge is stopping');
  return owner;
}

/** Either can do anything that a program can. @throws not-found, forbidden */
function assertMay(owner: TokenOwner, { type, id }: SandboxTarget): void {
  assertSees(owner, id);
  if (type === 'terminal') assertAllowed(owner, sandboxTables.processes.exec, 'processes.exec');
  else assertAllowed(owner, sandboxTables.network.connect, 'network.connect');
}

function findTarget(url: string): Target {
  const parsed = URL.parse(url, base);
  if (!parsed) throw new SandboxError('invalid-argument', 'Cannot open the socket: its target is no path');
  const { pathname, searchParams } = parsed;
  if (pathname === connectPath) return { type: 'connect' };
  const [, sandbox, asked] = sandboxPath.exec(pathname) ?? [];
  const id = idSchema.safeParse(sandbox);
  if (!id.success) throw new SandboxError('not-found', 'There is no socket at this path');
  if (asked !== undefined) {
    const port = portSchema.safeParse(asked);
    if (!port.success) throw invalidPart('param', port.error.issues);
    return { type: 'port', id: id.data, port: port.data };
  }
  const size = terminalQuery.safeParse(Object.fromEntries(searchParams));
  if (!size.success) throw invalidPart('query', size.error.issues);
  return { type: 'terminal', id: id.data, size: size.data };
}

function acceptConnection(
  upgrade: Upgrade,
  { context, owner }: { context: UpgradeContext; owner: TokenOwner },
): void {
  const { sockets, service, onSocket } = context;
  sockets.accept(upgrade, (socket) => {
    socket.once('close', service.metrics.socketOpened('connect'));
    onSocket(socket, owner);
  });
}

/** Opens the sandbox, and connects to its port, first: what fails by then is told with a status. */
async function acceptSandboxSocket(
  upgrade: Upgrade,
  options: UpgradeContext & { target: SandboxTarget; owner: TokenOwner; signal: AbortSignal },
): Promise<void> {
  const { service, sockets, target, owner, signal } = options;
  const { metrics } = service;
  const lease = await service.sandboxes.borrow(target.id, { signal });
  const stream = target.type === 'port' ? await connectTo(target.port, lease) : undefined;
  const onFailed = (error: unknown) => service.log.error(loggedError(error), `${target.type} failed`);
  let isTaken = false;
  sockets.accept(upgrade, (socket) => {
    isTaken = true;
    socket.once(
      'close',
      service.liveTokens.hold(owner, (why) => failSocket(socket, why)),
    );
    const serving =
      target.type === 'terminal'
        ? serveTerminal(socket, { lease, size: target.size, metrics })
        : stream && servePort(socket, { lease, stream, metrics });
    serving?.catch(onFailed);
  });
  if (isTaken) return;
  // What is no proper upgrade is answered, and nobody is told.
  using _lease = lease;
  await stream?.close();
}

async function connectTo(port: number, lease: Lease): Promise<ByteStream> {
  try {
    return await lease.connection.network.connect({ port });
  } catch (error) {
    lease[Symbol.dispose]();
    throw error;
  }
}
