import { type Endpoint, proxy, type Remote, releaseProxy, transfer, wrap } from 'comlink';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { ProcessEvent, ProcessHandle, ProcessListener } from '../../protocol/sandbox/processes.ts';
import type { Progress } from '../../protocol/sandbox/progress.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import { type AnyMethod, type MethodRow, makeFacets } from '../../protocol/sandbox/tables.ts';
import { closeOnce } from '../../protocol/unsaved-changes.ts';
import { remoteArchive } from './archive-transfer.ts';
import type { CrashGuard } from './crash-guard.ts';
import { installErrorTransfer } from './error-transfer.ts';
import type { WireBackend, WireConnection } from './expose-backend.ts';
import type { ForkOptions } from './handover.ts';
import { remoteImport } from './import-transfer.ts';
import { withSignalPort } from './signal-port.ts';
import { remoteStream } from './stream-transfer.ts';

/** A connection to a sandbox in a worker, which may send its machine to another. */
export interface WorkerConnection extends SandboxConnection {
  /** Sends it ahead through `to`, now and again; without, no more. */
  lead(to: MessagePort | undefined): Promise<void>;
  /** Sends it that way to go on from, or all of it through `to`. @throws unsupported, limit-exceeded */
  handOver(to?: MessagePort): Promise<void>;
}

/** A worker's backend. */
interface WorkerSide extends SandboxBackend {
  rename(ask: { readonly id: string; readonly name: string }): Promise<SandboxInfo>;
  create(...parameters: Parameters<SandboxBackend['create']>): Promise<WorkerConnection>;
  open(...parameters: Parameters<SandboxBackend['open']>): Promise<WorkerConnection>;
  /** Has what comes through `from` ahead of a machine. */
  follow(from: MessagePort): Promise<void>;
  /** Goes on as a fork from the machine that comes that way, or through `from`. @throws unsupported, corrupt-object */
  takeOver(
    from: MessagePort | undefined,
    options: ForkOptions,
    onProgress: (progress: Progress) => void,
  ): Promise<WorkerConnection>;
}

/** A `SandboxBackend` that lives behind `endpoint`; every call rejects once `guard` is told of a crash. */
export function remoteBackend(endpoint: Endpoint, guard: CrashGuard): WorkerSide {
  installErrorTransfer();
  const remote = wrap<WireBackend>(endpoint);
  const call = <T>(promise: Promise<T>) => guard.wait(promise);
  return {
    create: async ({ signal, ...options }, onProgress) => {
      const create = (abort: MessagePort | undefined) =>
        call(remote.create(options, proxy(onProgress), abort));
      return remoteConnection(await withSignalPort(signal, create), guard);
    },
    open: async ({ signal, ...ask }, onProgress) => {
      const open = (abort: MessagePort | undefined) => call(remote.open(ask, proxy(onProgress), abort));
      return remoteConnection(await withSignalPort(signal, open), guard);
    },
    follow: (from) => call(remote.follow(transfer(from, [from]))),
    takeOver: async (from, options, onProgress) => {
      const taken = remote.takeOver(from && transfer(from, [from]), options, proxy(onProgress));
      return remoteConnection(await call(taken), guard);
    },
    connect: async (ask) => remoteConnection(await call(remote.connect(ask)), guard),
    exportTar: async (ask) => remoteArchive(await call(remote.exportTar(ask)), call),
    openImport: async (ask) => remoteImport(await call(remote.openImport(ask)), call),
    list: () => call(remote.list()),
    delete: (ask) => call(remote.delete(ask)),
    rename: (ask) => call(remote.rename(ask)),
  };
}

/** A connection behind a port that another page of the origin serves. */
export function remotePortConnection(endpoint: Endpoint, guard: CrashGuard): SandboxConnection {
  installErrorTransfer();
  return remoteConnection(wrap<SandboxConnection>(endpoint), guard);
}

function remoteConnection(value: object, guard: CrashGuard): WorkerConnection {
  const remote = value as Remote<WireConnection>;
  const call = <T>(promise: Promise<T>) => guard.wait(promise);
  return {
    ...makeFacets((method) => remoteMethod(remote, method, guard)),
    lead: (to) => call(remote.lead(to && transfer(to, [to]))),
    handOver: (to) => call(remote.handOver(to && transfer(to, [to]))),
    // Not released: a call that comes later is to be told, and comlink would throw an error of its own.
    close: closeOnce((options) => call(remote.close(options))),
  };
}

/** A method that is called over the port, by what it gives. */
function remoteMethod(
  remote: Remote<WireConnection>,
  { facet, method, row }: MethodRow,
  guard: CrashGuard,
): AnyMethod {
  const call = <T>(promise: Promise<T>) => guard.wait(promise);
  // Comlink follows the path of properties to the other side.
  const methods = remote[facet] as unknown as Readonly<Record<string, AnyMethod>>;
  const there = (...parameters: [ask?: unknown, listener?: unknown, abort?: MessagePort]) =>
    call((methods[method] as (...given: unknown[]) => ReturnType<AnyMethod>)(...parameters));
  switch (row.gives) {
    case 'process':
      return async (request, listener: ProcessListener) => {
        const watched = untilExit(listener, guard);
        const handle = await there(request, proxy(watched.listener));
        const pid: number = await call(handle.pid);
        watched.begin();
        return remoteProcess(handle as Remote<ProcessHandle>, { pid, call });
      };
    case 'stream':
      return async (ask) => remoteStream(await there(ask), call);
    case 'archive':
      return async (ask) => remoteArchive(await there(ask), call);
    case 'import':
      return async (ask) => remoteImport(await there(ask), call);
    case 'subscription':
      return async (ask, listener) => {
        const stop = (await there(ask, proxy(listener))) as Remote<() => void>;
        let isStopped = false;
        return () => {
          if (isStopped) return;
          isStopped = true;
          // The other side may be gone: nothing is left to stop.
          stop()
            .then(() => stop[releaseProxy]())
            .catch(() => {});
        };
      };
    default: {
      if (!row.takesSignal) return (ask) => there(ask);
      const tell = (listener: unknown) => proxy((listener ?? (() => {})) as () => void);
      return ({ signal, ...ask }, listener) =>
        withSignalPort(signal, (abort) => there(ask, tell(listener), abort));
    }
  }
}

const lostExit: ProcessEvent = {
  type: 'exit',
  exitCode: -1,
  signal: undefined,
  reason: 'machine-failed',
  durationMs: 0,
  cpuMs: 0,
  maxRssBytes: 0,
  files: { created: [], modified: [], deleted: [] },
};

/** A process whose connection is lost ends, as one does whose machine stops: nobody else would say so. */
function untilExit(
  listener: ProcessListener,
  guard: CrashGuard,
): { readonly listener: ProcessListener; readonly begin: () => void } {
  let isOver = false;
  let forget = () => {};
  return {
    listener: (event) => {
      if (event.type === 'exit') {
        isOver = true;
        forget();
      }
      return listener(event);
    },
    begin: () => {
      if (!isOver) forget = guard.onCrash(() => void listener(lostExit));
    },
  };
}

function remoteProcess(
  remote: Remote<ProcessHandle>,
  { pid, call }: { pid: number; call: <T>(promise: Promise<T>) => Promise<T> },
): ProcessHandle {
  return {
    pid,
    write: (bytes) => call(remote.write(bytes)),
    closeStdin: () => call(remote.closeStdin()),
    resize: (size) => call(remote.resize(size)),
    kill: (signal) => call(remote.kill(signal)),
  };
}
