import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { EventListener } from '../../../protocol/sandbox/events.ts';
import { closeOnce, isUnsaved } from '../../../protocol/unsaved-changes.ts';
import type { ShellProcess } from './shell-process.ts';

/**
 * The one connection to the sandbox of a process, which ends with it. A process that ends by itself is told as a machine
 * that failed, and as a sandbox that is closed: a client that opens it again goes on from its last snapshot.
 */
export function watchedConnection(connection: SandboxConnection, process: ShellProcess): SandboxConnection {
  const listeners = new Set<{ readonly tell: EventListener; seq: number }>();
  let isClosing = false;
  void process.ended.then((error) => {
    for (const each of listeners) {
      if (!isClosing) each.tell({ type: 'machine-failed', error: error.toData(), seq: ++each.seq });
      each.tell({ type: 'closed', seq: ++each.seq });
    }
    listeners.clear();
  });
  const close = closeOnce(async (options) => {
    isClosing = true;
    try {
      await connection.close(options);
    } catch (error) {
      // Then there is nothing left to close.
      if (process.hasEnded) return;
      isClosing = !isUnsaved(error);
      throw error;
    } finally {
      if (isClosing) await process[Symbol.asyncDispose]();
    }
  });
  return {
    ...connection,
    events: {
      subscribe: async ({ after }, listener) => {
        const mine = { tell: listener, seq: after };
        const stop = await connection.events.subscribe({ after }, (event) => {
          mine.seq = event.seq;
          // The sandbox has told it itself.
          if (event.type === 'closed') listeners.delete(mine);
          listener(event);
        });
        listeners.add(mine);
        return () => {
          listeners.delete(mine);
          stop();
        };
      },
    },
    close,
  };
}
