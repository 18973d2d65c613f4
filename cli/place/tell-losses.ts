import { type ErrorData, SandboxError } from '../../protocol/errors.ts';
import type { SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SandboxConnection } from '../../protocol/sandbox/connection.ts';
import type { Place } from './place.ts';

/**
 * The same place, of a command: what cannot be saved when a sandbox is closed is given up, as the command ends, unless
 * its caller says otherwise. Disposing of it throws which sandboxes that were closed through it have lost their last changes. A sandbox that
 * was deleted has lost nothing.
 */
export function tellLosses(place: Place): Place {
  const losses = new Map<string, ErrorData>();
  return {
    ...place,
    backend: notingLosses(place.backend, losses),
    [Symbol.asyncDispose]: async () => {
      await using stack = new AsyncDisposableStack();
      stack.defer(() => throwLosses([...losses.values()]));
      // First: it closes what is still open.
      stack.use(place);
    },
  };
}

function throwLosses(losses: readonly ErrorData[]): void {
  const [first] = losses;
  if (!first) return;
  const message = losses.map((each) => each.message).join('\n');
  throw SandboxError.from({ ...first, message });
}

function notingLosses(backend: SandboxBackend, losses: Map<string, ErrorData>): SandboxBackend {
  const { images, setTimeout, rename } = backend;
  const watch = async (connection: SandboxConnection): Promise<SandboxConnection> => {
    try {
      const { id } = await connection.info.get();
      await connection.events.subscribe({ after: 0 }, (event) => {
        if (event.type === 'closed' && event.lost) losses.set(id, event.lost);
      });
      return { ...connection, close: ({ discard = true } = {}) => connection.close({ discard }) };
    } catch (error) {
      await connection.close().catch(() => undefined);
      throw error;
    }
  };
  return {
    create: async (ask, onProgress) => watch(await backend.create(ask, onProgress)),
    open: async (ask, onProgress) => watch(await backend.open(ask, onProgress)),
    connect: (ask) => backend.connect(ask),
    exportTar: (ask) => backend.exportTar(ask),
    openImport: (ask) => backend.openImport(ask),
    list: () => backend.list(),
    delete: async (ask) => {
      await backend.delete(ask);
      losses.delete(ask.id);
    },
    ...(images && { images: () => images.call(backend) }),
    ...(setTimeout && { setTimeout: (ask) => setTimeout.call(backend, ask) }),
    ...(rename && { rename: (ask) => rename.call(backend, ask) }),
  };
}
