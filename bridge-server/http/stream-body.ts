import type { ServerResponse } from 'node:http';
import { limits } from '../../protocol/limits.ts';

/** Where the bytes of an answer come from. */
export interface ByteSource {
  /** The next bytes, `undefined` after the last; one call at a time. */
  pull(): Promise<Uint8Array | undefined>;
  /** Lets go of all it holds. Called once, however the answer ends. */
  close(): Promise<void> | void;
}

export interface StreamBodyOptions {
  readonly outgoing: Pick<ServerResponse, 'destroy'>;
  readonly onError: (error: unknown) => void;
  /** Time that the client may take without reading; `limits.httpStalledReaderMs` by default. */
  readonly stalledMs?: number;
}

/**
 * A body that is made as fast as the client reads it, and no faster. One that fails breaks the
 * connection, so that nobody takes what has arrived for the whole.
 */
export function streamBody(source: ByteSource, options: StreamBodyOptions): ReadableStream<Uint8Array> {
  const { outgoing, onError, stalledMs = limits.httpStalledReaderMs } = options;
  let stalled: NodeJS.Timeout | undefined;
  let isClosed = false;
  const close = async () => {
    if (isClosed) return;
    isClosed = true;
    clearTimeout(stalled);
    try {
      await source.close();
    } catch (error) {
      onError(error);
    }
  };
  const giveUp = () => {
    outgoing.destroy();
    return close();
  };
  const watch = () => {
    stalled = setTimeout(giveUp, stalledMs).unref();
  };
  watch();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        clearTimeout(stalled);
        try {
          const bytes = await source.pull();
          if (isClosed) return;
          if (bytes) {
            controller.enqueue(bytes);
            watch();
            return;
          }
          controller.close();
          await close();
        } catch (error) {
          // An error of the stream would be printed by the adapter, and told to the client as content.
          onError(error);
          await giveUp();
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
}
