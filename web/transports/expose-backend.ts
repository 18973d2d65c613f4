import { type Endpoint, expose, proxy } from 'comlink';
import { SandboxError } from '../../protocol/errors.ts';
import type {
  CreateOptions,
  OpenOptions,
  SandboxBackend,
  StartOptions,
} from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import { HandleScope, scopeFacets } from '../../protocol/sandbox/handle-scope.ts';
import type { ProcessHandle } from '../../protocol/sandbox/processes.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { type AnyMethod, callMethod, type MethodRow, makeFacets } from '../../protocol/sandbox/tables.ts';
import { archiveByReference } from './archive-transfer.ts';
import { installErrorTransfer } from './error-transfer.ts';
import { type ForkOptions, MachineReceiver, MachineSender } from './handover.ts';
import { importByReference } from './import-transfer.ts';
import { signalOfPort } from './signal-port.ts';
import { streamByReference } from './stream-transfer.ts';

type OnProgress = Parameters<SandboxBackend['create']>[1];

/** A backend as it is called over a port: the port in the place of a signal tells of an abort. */
export interface WireBackend extends Omit<SandboxBackend, 'create' | 'open' | 'connect' | 'rename'> {
  rename(ask: { readonly id: string; readonly name: string }): Promise<SandboxInfo>;
  create(options: CreateOptions, onProgress: OnProgress, abort?: MessagePort): Promise<WireConnection>;
  open(
    ask: OpenOptions & { readonly id: string },
    onProgress: OnProgress,
    abort?: MessagePort,
  ): Promise<WireConnection>;
  connect(ask: { readonly id: string }): Promise<WireConnection>;
  /** Has what comes through `from` ahead of a machine. */
  follow(from: MessagePort): Promise<void>;
  /** Goes on as a fork from the machine that comes that way, or through `from`. @throws unsupported, corrupt-object */
  takeOver(
    from: MessagePort | undefined,
    options: ForkOptions,
    onProgress: OnProgress,
  ): Promise<WireConnection>;
}

/** A connection as it is called over a port. */
export interface WireConnection extends Omit<SandboxConnection, 'forkRunning'> {
  /** Sends its machine ahead through `to`; without, no more. */
  lead(to: MessagePort | undefined): Promise<void>;
  /** Sends its machine that way to go on from, or all of it through `to`. @throws unsupported, limit-exceeded */
  handOver(to?: MessagePort): Promise<void>;
}

/** Serves a backend on `endpoint`. Connections and handles go by reference. */
export function exposeBackend(backend: SandboxBackend, endpoint: Endpoint): void {
  installErrorTransfer();
  const receiver = new MachineReceiver(backend);
  const wire: WireBackend = {
    create: async (options, onProgress, abort) =>
      proxy(byReference(await backend.create({ ...options, ...withSignal(abort) }, onProgress))),
    open: async (ask, onProgress, abort) =>
      proxy(byReference(await backend.open({ ...ask, ...withSignal(abort) }, onProgress))),
    follow: async (from) => receiver.follow(from),
    takeOver: async (from, ...parameters) => {
      if (from) receiver.follow(from);
      return proxy(byReference(await receiver.takeOver(...parameters)));
    },
    connect: async (ask) => proxy(byReference(await backend.connect(ask))),
    exportTar: async (ask) => archiveByReference(await backend.exportTar(ask)),
    openImport: async (ask) => importByReference(await backend.openImport(ask)),
    list: () => backend.list(),
    delete: (ask) => backend.delete(ask),
    rename: async (ask) => {
      if (backend.rename) return backend.rename(ask);
      throw new SandboxError('unsupported', `Cannot rename sandbox "${ask.id}": names stay as they are here`);
    },
  };
  expose(wire, endpoint);
}

function withSignal(abort: MessagePort | undefined): StartOptions {
  const signal = signalOfPort(abort);
  return signal ? { signal } : {};
}

/**
 * Exposes a connection that is already open to another page of the origin. When that page goes, so
 * does what it held: its processes, its subscriptions and its archives (H-8).
 */
export function exposeConnection(connection: SandboxConnection, port: MessagePort): void {
  installErrorTransfer();
  const scope = new HandleScope();
  port.addEventListener('close', () => void scope.close());
  const facets = scopeFacets(() => connection, scope);
  expose(byReference({ ...facets, close: (options) => connection.close(options) }), port);
}

/** Process handles, archives and unsubscribe functions cannot be cloned: they stay here and are called from there. */
function byReference(connection: SandboxConnection): WireConnection {
  const sender = new MachineSender(connection);
  return {
    ...makeFacets((method) => methodByReference(connection, method)),
    lead: async (to) => sender.lead(to),
    handOver: async (to) => sender.handOver(to),
    close: (options) => connection.close(options),
  };
}

function methodByReference(connection: SandboxConnection, method: MethodRow): AnyMethod {
  const call: AnyMethod = (ask, listener) => callMethod(connection, method, ask, listener);
  switch (method.row.gives) {
    case 'process':
      return async (ask, listener) => {
        const handle: ProcessHandle = await call(ask, listener);
        return proxy({
          pid: handle.pid,
          write: (bytes: Uint8Array) => handle.write(bytes),
          closeStdin: () => handle.closeStdin(),
          resize: (size: { columns: number; rows: number }) => handle.resize(size),
          kill: (signal?: Parameters<typeof handle.kill>[0]) => handle.kill(signal),
        });
      };
    case 'stream':
      return async (ask) => streamByReference(await call(ask));
    case 'archive':
      return async (ask) => archiveByReference(await call(ask));
    case 'import':
      return async (ask) => importByReference(await call(ask));
    case 'subscription':
      return async (ask, listener) => proxy(await call(ask, listener));
    default:
      if (!method.row.takesSignal) return call;
      return async (ask, listener, abort?: MessagePort) => call({ ...ask, ...withSignal(abort) }, listener);
  }
}
