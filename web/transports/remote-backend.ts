import { type Endpoint, proxy, type Remote, releaseProxy, transfer, wrap } from 'comlink';
import type {
  ProcessEvent,
  ProcessHandle,
  Progress,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
} from '../../protocol/sandbox.ts';
import { remoteArchive } from './archive-transfer.ts';
import type { CrashGuard } from './crash-guard.ts';
import { installErrorTransfer } from './error-transfer.ts';
import type { WireBackend, WireConnection } from './expose-backend.ts';
import type { ForkOptions } from './handover.ts';
import { remoteIntake } from './intake-transfer.ts';
import { withSignalPort } from './signal-port.ts';

type Listener = (event: ProcessEvent) => void | Promise<void>;

/** A connection to a sandbox in a worker, which may send its machine to another. */
export interface WorkerConnection extends SandboxConnection {
  /** Sends it ahead through `to`, now and again; without, no more. */
  lead(to: MessagePort | undefined): Promise<void>;
  /** Sends it that way to go on from, or all of it through `to`. @throws unsupported, limit-exceeded */
  handOver(to?: MessagePort): Promise<void>;
}

/** A worker's backend. */
interface WorkerSide extends SandboxBackend {
  rename(id: string, name: string): Promise<SandboxInfo>;
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
    open: async (id, { signal, ...options }, onProgress) => {
      const open = (abort: MessagePort | undefined) =>
        call(remote.open(id, options, proxy(onProgress), abort));
      return remoteConnection(await withSignalPort(signal, open), guard);
    },
    follow: (from) => call(remote.follow(transfer(from, [from]))),
    takeOver: async (from, options, onProgress) => {
      const taken = remote.takeOver(from && transfer(from, [from]), options, proxy(onProgress));
      return remoteConnection(await call(taken), guard);
    },
    connect: async (id) => remoteConnection(await call(remote.connect(id)), guard),
    exportTar: async (id, options) => remoteArchive(await call(remote.exportTar(id, options)), call),
    openIntake: async (options) => remoteIntake(await call(remote.openIntake(options)), call),
    list: () => call(remote.list()),
    delete: (id) => call(remote.delete(id)),
    rename: (id, name) => call(remote.rename(id, name)),
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
  let closed: Promise<void> | undefined;
  return {
    info: () => call(remote.info()),
    exec: async (request, listener) => {
      const watched = untilExit(listener, guard);
      const handle = await call(remote.exec(request, proxy(watched.listener)));
      const pid = await call(handle.pid as unknown as Promise<number>);
      watched.begin();
      return remoteProcess(handle as unknown as Remote<ProcessHandle>, { pid, call });
    },
    readFile: (path, at) => call(remote.readFile(path, at)),
    writeFile: (path, bytes, options) => call(remote.writeFile(path, bytes, options)),
    listFiles: (path, at) => call(remote.listFiles(path, at)),
    statFile: (path, at) => call(remote.statFile(path, at)),
    makeDirectory: (path) => call(remote.makeDirectory(path)),
    removeFile: (path) => call(remote.removeFile(path)),
    renameFile: (from, to) => call(remote.renameFile(from, to)),
    history: () => call(remote.history()),
    createSnapshot: (options) => call(remote.createSnapshot(options)),
    checkout: (id, options) => call(remote.checkout(id, options)),
    fork: (id, options) => call(remote.fork(id, options)),
    lead: (to) => call(remote.lead(to && transfer(to, [to]))),
    handOver: (to) => call(remote.handOver(to && transfer(to, [to]))),
    recording: () => call(remote.recording()),
    setRecording: (options) => call(remote.setRecording(options)),
    screenAt: (moment, pid) => call(remote.screenAt(moment, pid)),
    goToMoment: (id) => call(remote.goToMoment(id)),
    diff: (from, to) => call(remote.diff(from, to)),
    setTag: (name, id) => call(remote.setTag(name, id)),
    deleteSnapshot: (id) => call(remote.deleteSnapshot(id)),
    collectGarbage: () => call(remote.collectGarbage()),
    exportTar: async (at, options) => remoteArchive(await call(remote.exportTar(at, options)), call),
    openParcel: async (id, options) => remoteArchive(await call(remote.openParcel(id, options)), call),
    openIntake: async () => remoteIntake(await call(remote.openIntake()), call),
    storage: () => call(remote.storage()),
    networkLog: () => call(remote.networkLog()),
    report: () => call(remote.report()),
    subscribe: async (after, listener) => {
      const stop = (await call(remote.subscribe(after, proxy(listener)))) as unknown as Remote<() => void>;
      let isStopped = false;
      return () => {
        if (isStopped) return;
        isStopped = true;
        // The other side may be gone: nothing is left to stop.
        stop()
          .then(() => stop[releaseProxy]())
          .catch(() => {});
      };
    },
    close: () => {
      // Not released: a call that comes later is to be told, and comlink would throw an error of its own.
      closed ??= call(remote.close());
      return closed;
    },
  };
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
  listener: Listener,
  guard: CrashGuard,
): { readonly listener: Listener; readonly begin: () => void } {
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
