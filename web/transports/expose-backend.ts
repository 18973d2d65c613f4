import { type Endpoint, expose, proxy } from 'comlink';
import type { SandboxBackend, SandboxConnection } from '../../protocol/sandbox.ts';
import { installErrorTransfer } from './error-transfer.ts';

/** Serves a backend on `endpoint` (a worker's own scope, or a port). Connections and handles go by reference. */
export function exposeBackend(backend: SandboxBackend, endpoint?: Endpoint): void {
  installErrorTransfer();
  expose(
    {
      create: async (...parameters: Parameters<SandboxBackend['create']>) =>
        proxy(byReference(await backend.create(...parameters))),
      open: async (...parameters: Parameters<SandboxBackend['open']>) =>
        proxy(byReference(await backend.open(...parameters))),
      list: () => backend.list(),
      delete: (id: string) => backend.delete(id),
    },
    endpoint,
  );
}

/** Exposes a connection that is already open to one more endpoint: another page of the origin. */
export function exposeConnection(connection: SandboxConnection, endpoint: Endpoint): void {
  installErrorTransfer();
  expose(byReference(connection), endpoint);
}

/** Process handles and unsubscribe functions cannot be cloned: they stay here and are called from there. */
function byReference(connection: SandboxConnection): SandboxConnection {
  const exec = connection.exec.bind(connection);
  const subscribe = connection.subscribe.bind(connection);
  return Object.assign(Object.create(connection) as SandboxConnection, {
    exec: async (...parameters: Parameters<SandboxConnection['exec']>) => {
      const handle = await exec(...parameters);
      return proxy({
        pid: handle.pid,
        write: (bytes: Uint8Array) => handle.write(bytes),
        closeStdin: () => handle.closeStdin(),
        resize: (size: { columns: number; rows: number }) => handle.resize(size),
        kill: (signal?: Parameters<typeof handle.kill>[0]) => handle.kill(signal),
      });
    },
    subscribe: async (...parameters: Parameters<SandboxConnection['subscribe']>) =>
      proxy(await subscribe(...parameters)),
  });
}
