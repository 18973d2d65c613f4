import { type Endpoint, expose, proxy } from 'comlink';
import { listenAbort } from '../../protocol/abort.ts';
import { endProcess } from '../../protocol/end-process.ts';
import { SandboxError } from '../../protocol/errors.ts';
import type {
  CreateOptions,
  OpenOptions,
  ParcelReader,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
  StartOptions,
} from '../../protocol/sandbox.ts';
import { archiveByReference } from './archive-transfer.ts';
import { installErrorTransfer } from './error-transfer.ts';
import { type ForkOptions, MachineReceiver, MachineSender } from './handover.ts';
import { intakeByReference } from './intake-transfer.ts';
import { signalOfPort } from './signal-port.ts';

type OnProgress = Parameters<SandboxBackend['create']>[1];

/** A backend as it is called over a port: the port in the place of a signal tells of an abort. */
export interface WireBackend extends Omit<SandboxBackend, 'create' | 'open' | 'connect' | 'rename'> {
  rename(id: string, name: string): Promise<SandboxInfo>;
  create(options: CreateOptions, onProgress: OnProgress, abort?: MessagePort): Promise<WireConnection>;
  open(
    id: string,
    options: OpenOptions,
    onProgress: OnProgress,
    abort?: MessagePort,
  ): Promise<WireConnection>;
  connect(id: string): Promise<WireConnection>;
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
    open: async (id, options, onProgress, abort) =>
      proxy(byReference(await backend.open(id, { ...options, ...withSignal(abort) }, onProgress))),
    follow: async (from) => receiver.follow(from),
    takeOver: async (from, ...parameters) => {
      if (from) receiver.follow(from);
      return proxy(byReference(await receiver.takeOver(...parameters)));
    },
    connect: async (id) => proxy(byReference(await backend.connect(id))),
    exportTar: async (...parameters) => archiveByReference(await backend.exportTar(...parameters)),
    openIntake: async (options) => intakeByReference(await backend.openIntake(options)),
    list: () => backend.list(),
    delete: (id) => backend.delete(id),
    rename: async (id, name) => {
      if (backend.rename) return backend.rename(id, name);
      throw new SandboxError('unsupported', `Cannot rename sandbox "${id}": names stay as they are here`);
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
  const peer = new AbortController();
  port.addEventListener('close', () => peer.abort());
  expose(byReference(heldBy(peer.signal, connection)), port);
}

/** The same connection, but processes, subscriptions and archives end when the peer is gone. */
function heldBy(peer: AbortSignal, connection: SandboxConnection): SandboxConnection {
  return {
    ...bound(connection),
    exec: async (request, listener) => {
      const over = new AbortController();
      const ended = Promise.withResolvers<void>();
      const handle = await connection.exec(request, (event) => {
        if (event.type === 'exit') {
          over.abort();
          ended.resolve();
        }
        return listener(event);
      });
      const left = { process: handle, request, ended: ended.promise };
      const kill = () => void endProcess(left).catch(() => undefined);
      if (peer.aborted) kill();
      else peer.addEventListener('abort', kill, { once: true, signal: over.signal });
      return handle;
    },
    subscribe: async (after, listener) => {
      const stop = await connection.subscribe(after, listener);
      const unlisten = listenAbort(peer, stop);
      return () => {
        unlisten();
        stop();
      };
    },
    exportTar: async (...parameters) => archiveHeldBy(peer, await connection.exportTar(...parameters)),
    openParcel: async (...parameters) => archiveHeldBy(peer, await connection.openParcel(...parameters)),
    openIntake: async () => {
      const intake = await connection.openIntake();
      const unlisten = listenAbort(peer, () => void intake.close().catch(() => undefined));
      const close = () => {
        unlisten();
        return intake.close();
      };
      return { write: (bytes) => intake.write(bytes), finish: () => intake.finish(), close };
    },
  };
}

/** The same archive or parcel, but closed when the peer is gone. */
function archiveHeldBy<Reader extends ParcelReader>(
  peer: AbortSignal,
  archive: Reader,
): Pick<Reader, 'read' | 'close'> {
  const unlisten = listenAbort(peer, () => void archive.close().catch(() => undefined));
  const close = () => {
    unlisten();
    return archive.close();
  };
  return { read: () => archive.read() as ReturnType<Reader['read']>, close };
}

/** Process handles, archives and unsubscribe functions cannot be cloned: they stay here and are called from there. */
function byReference(connection: SandboxConnection): WireConnection {
  const sender = new MachineSender(connection);
  return {
    ...bound(connection),
    lead: async (to) => sender.lead(to),
    handOver: async (to) => sender.handOver(to),
    exec: async (request, listener) => {
      const handle = await connection.exec(request, listener);
      return proxy({
        pid: handle.pid,
        write: (bytes: Uint8Array) => handle.write(bytes),
        closeStdin: () => handle.closeStdin(),
        resize: (size: { columns: number; rows: number }) => handle.resize(size),
        kill: (signal?: Parameters<typeof handle.kill>[0]) => handle.kill(signal),
      });
    },
    exportTar: async (...parameters) => archiveByReference(await connection.exportTar(...parameters)),
    openParcel: async (...parameters) => archiveByReference(await connection.openParcel(...parameters)),
    openIntake: async () => intakeByReference(await connection.openIntake()),
    subscribe: async (after, listener) => proxy(await connection.subscribe(after, listener)),
  };
}

/** The members that clone both ways, as functions of their own: a class's private state is not inherited. */
function bound(connection: SandboxConnection): Omit<SandboxConnection, 'exec' | 'subscribe'> {
  return {
    info: () => connection.info(),
    readFile: (...parameters) => connection.readFile(...parameters),
    writeFile: (...parameters) => connection.writeFile(...parameters),
    listFiles: (...parameters) => connection.listFiles(...parameters),
    statFile: (...parameters) => connection.statFile(...parameters),
    makeDirectory: (...parameters) => connection.makeDirectory(...parameters),
    removeFile: (...parameters) => connection.removeFile(...parameters),
    renameFile: (...parameters) => connection.renameFile(...parameters),
    history: () => connection.history(),
    createSnapshot: (...parameters) => connection.createSnapshot(...parameters),
    checkout: (...parameters) => connection.checkout(...parameters),
    fork: (...parameters) => connection.fork(...parameters),
    recording: () => connection.recording(),
    setRecording: (...parameters) => connection.setRecording(...parameters),
    screenAt: (...parameters) => connection.screenAt(...parameters),
    goToMoment: (...parameters) => connection.goToMoment(...parameters),
    diff: (...parameters) => connection.diff(...parameters),
    setTag: (...parameters) => connection.setTag(...parameters),
    deleteSnapshot: (...parameters) => connection.deleteSnapshot(...parameters),
    collectGarbage: () => connection.collectGarbage(),
    exportTar: (...parameters) => connection.exportTar(...parameters),
    openParcel: (...parameters) => connection.openParcel(...parameters),
    openIntake: () => connection.openIntake(),
    storage: () => connection.storage(),
    networkLog: () => connection.networkLog(),
    report: () => connection.report(),
    close: () => connection.close(),
  };
}
