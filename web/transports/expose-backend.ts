import { type Endpoint, expose, proxy } from 'comlink';
import type { SandboxBackend, SandboxConnection } from '../../protocol/sandbox.ts';
import { archiveByReference } from './archive-transfer.ts';
import { installErrorTransfer } from './error-transfer.ts';

/** Serves a backend on `endpoint`. Connections and handles go by reference. */
export function exposeBackend(backend: SandboxBackend, endpoint: Endpoint): void {
  installErrorTransfer();
  expose(
    {
      create: async (...parameters: Parameters<SandboxBackend['create']>) =>
        proxy(byReference(await backend.create(...parameters))),
      open: async (...parameters: Parameters<SandboxBackend['open']>) =>
        proxy(byReference(await backend.open(...parameters))),
      connect: async (id: string) => proxy(byReference(await backend.connect(id))),
      exportTar: async (...parameters: Parameters<SandboxBackend['exportTar']>) =>
        archiveByReference(await backend.exportTar(...parameters)),
      list: () => backend.list(),
      delete: (id: string) => backend.delete(id),
    },
    endpoint,
  );
}

/**
 * Exposes a connection that is already open to another page of the origin. When that page goes, so
 * does what it held: its processes and its subscriptions (H-8).
 */
export function exposeConnection(connection: SandboxConnection, port: MessagePort): void {
  installErrorTransfer();
  const peer = new AbortController();
  port.addEventListener('close', () => peer.abort());
  expose(byReference(heldBy(peer.signal, connection)), port);
}

/** The same connection, but processes and subscriptions end when the peer is gone. */
function heldBy(peer: AbortSignal, connection: SandboxConnection): SandboxConnection {
  return {
    ...bound(connection),
    exec: async (request, listener) => {
      const over = new AbortController();
      const handle = await connection.exec(request, (event) => {
        if (event.type === 'exit') over.abort();
        return listener(event);
      });
      const kill = () => void handle.kill().catch(() => undefined);
      if (peer.aborted) kill();
      else peer.addEventListener('abort', kill, { once: true, signal: over.signal });
      return handle;
    },
    subscribe: async (after, listener) => {
      const stop = await connection.subscribe(after, listener);
      if (peer.aborted) stop();
      else peer.addEventListener('abort', stop, { once: true });
      return () => {
        peer.removeEventListener('abort', stop);
        stop();
      };
    },
  };
}

/** Process handles, archives and unsubscribe functions cannot be cloned: they stay here and are called from there. */
function byReference(connection: SandboxConnection): SandboxConnection {
  return {
    ...bound(connection),
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
    exportTar: async (at) => archiveByReference(await connection.exportTar(at)),
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
    diff: (...parameters) => connection.diff(...parameters),
    setTag: (...parameters) => connection.setTag(...parameters),
    deleteSnapshot: (...parameters) => connection.deleteSnapshot(...parameters),
    collectGarbage: () => connection.collectGarbage(),
    exportTar: (...parameters) => connection.exportTar(...parameters),
    storage: () => connection.storage(),
    close: () => connection.close(),
  };
}
