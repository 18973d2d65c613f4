import { once } from 'node:events';
import { chmodSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import { controlSocketName, toLine } from './messages.ts';
import { type ServedClient, serveClient } from './serve-client.ts';
import type { ControlService } from './service.ts';
import { socketPath } from './socket-path.ts';

/** Serves a folder to programs of its user. Disposing of it ends what clients have begun, and takes the socket away. */
export interface ControlServer extends AsyncDisposable {
  /** Where it listens. */
  readonly path: string;
  /** Clients that are connected. */
  readonly clients: number;
}

/**
 * Listens on the socket of `service.folder`, which only the folder's user (and root) may open: its mode is 0600 from the
 * first instant on. Whoever calls it holds the folder: a socket that is there already is one that a dead process left.
 * @throws what the system says where it cannot listen there
 */
export async function serveControl(service: ControlService): Promise<ControlServer> {
  const clients = new Set<ServedClient>();
  // A client that has asked for everything may close its side, and is answered all the same.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (clients.size >= limits.controlClients) return refuse(socket);
    const client = serveClient(socket, service);
    clients.add(client);
    void client.ended.then(() => clients.delete(client));
  });
  const path = await listen(server, service.folder);
  // One that cannot be accepted, as where the system is out of descriptors, is no reason to end.
  server.on('error', service.onFailure);
  let closed: Promise<void> | undefined;
  return {
    path,
    get clients() {
      return clients.size;
    },
    [Symbol.asyncDispose]: () => {
      closed ??= (async () => {
        // Nobody finds it any more from now on.
        rmSync(path, { force: true });
        const gone = once(server, 'close');
        server.close();
        await Promise.all([...clients].map((client) => client.close()));
        await gone;
      })();
      return closed;
    },
  };
}

/** Binds in a folder of its own, which nobody else may enter, and moves the socket to its place once its mode is right. */
async function listen(server: Server, folder: string): Promise<string> {
  const making = mkdtempSync(join(folder, '.control-'));
  try {
    using made = socketPath(folder, join(basename(making), controlSocketName));
    server.listen(made.path);
    await once(server, 'listening');
    chmodSync(made.path, 0o600);
    assertIsPrivate(folder, made.path);
    const path = join(folder, controlSocketName);
    renameSync(join(making, controlSocketName), path);
    return path;
  } finally {
    rmSync(making, { recursive: true, force: true });
  }
}

/** The kernel lets others in by mode and owner alone. @throws unsupported on a file system that keeps neither */
function assertIsPrivate(folder: string, path: string): void {
  const { mode, uid } = statSync(path);
  if ((mode & 0o777) === 0o600 && uid === process.geteuid?.()) return;
  throw new SandboxError(
    'unsupported',
    `Cannot serve ${folder}: its file system does not keep modes and owners of files`,
    {
      details: { feature: 'control-socket' },
    },
  );
}

function refuse(socket: Socket): void {
  const error = new SandboxError('busy', `Cannot serve another client: there are ${limits.controlClients}`);
  socket.on('error', () => {});
  socket.end(toLine({ ok: false, error: error.toData() }));
  socket.destroySoon();
}
