import { EndOfLife } from '../../bridge-server/end-of-life.ts';
import { OpenSandboxes } from '../../bridge-server/open-sandboxes.ts';
import { SharedBackend } from '../../bridge-server/shared-backend.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import { Sandbox } from '../../sdk/sandbox.ts';
import { serveControl } from '../control/serve-control.ts';
import { findSandbox } from '../place/find-sandbox.ts';
import type { FolderPlace } from '../place/place.ts';

export interface ServeFolderOptions {
  /** The sandbox that clients mean who name none. */
  readonly sandbox: string;
  /** What `status` says beside the folder's own. */
  readonly describe: () => object;
  /** A client asks for the end. */
  readonly onStop: () => void;
  /** Told of what went wrong that nobody waits for. */
  readonly onFailure: (error: unknown) => void;
}

/** A folder whose sandboxes the programs of its user share, through this process. */
export interface ServedFolder extends AsyncDisposable {
  /** The same for this process: what it opens is shared with all others. */
  readonly backend: SandboxBackend;
  readonly socket: string;
  /** Closes a sandbox whoever uses it: the next one who opens it gets another machine. */
  close(id: string): Promise<void>;
}

/**
 * Serves the sandboxes of `place` on its socket, and deletes those whose end has come. Disposing of it ends what clients have begun, saves and closes every
 * sandbox; the place stays its owner's.
 */
export async function serveFolder(place: FolderPlace, options: ServeFolderOptions): Promise<ServedFolder> {
  await using stack = new AsyncDisposableStack();
  const { onFailure } = options;
  const sandboxes = new OpenSandboxes(place.backend, { onCloseFailed: (_id, error) => onFailure(error) });
  stack.use(sandboxes);
  stack.use(
    new EndOfLife({
      backend: place.backend,
      sandboxes,
      everyMs: limits.expiryCheckMs,
      onDeleted: () => {},
      onFailed: (_id, error) => onFailure(error),
    }),
  );
  const backend = new SharedBackend(place.backend, { sandboxes, account: 'user' });
  const startedAtMs = Date.now();
  const server = await serveControl({
    folder: place.name,
    network: place.network,
    hasDisk: place.disk !== undefined,
    backend,
    openSandbox: async (which = options.sandbox) => {
      const { id } = await findSandbox(backend, which);
      return Sandbox.open(id, { backend });
    },
    describe: () => ({ pid: process.pid, folder: place.name, startedAtMs, ...options.describe() }),
    assertSaved: () => sandboxes.assertSaved(),
    stop: options.onStop,
    onFailure,
  });
  stack.use(server);
  place.answersAt(server.path);
  const owned = stack.move();
  return {
    backend,
    socket: server.path,
    close: (id) => sandboxes.close(id),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
