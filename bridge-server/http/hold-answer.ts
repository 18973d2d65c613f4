import { limits } from '../../protocol/limits.ts';
import type { ByteReservation } from './byte-budget.ts';
import type { ByteSource } from './stream-body.ts';

/**
 * What an answer's maker writes without waiting for its reader: it is taken at once, counted in `reservation`, and handed on
 * in pieces of `limits.mcpAnswerPieceBytes` at most. Where there is no room for it, it is dropped, and `pull` rejects with
 * `busy`. Owns `body` and the reservation; `close` may be called repeatedly.
 */
export function holdAnswer(body: ReadableStream<Uint8Array>, reservation: ByteReservation): ByteSource {
  const reader = body.getReader();
  const held: Uint8Array[] = [];
  let heldBytes = 0;
  /** Of the first of `held`, bytes that were handed on. */
  let pulledBytes = 0;
  let end: { readonly error?: unknown } | undefined;
  let changed = Promise.withResolvers<void>();
  const finish = (how: NonNullable<typeof end>): void => {
    end ??= how;
    changed.resolve();
  };
  const close = async (): Promise<void> => {
    held.length = 0;
    finish({});
    reservation[Symbol.dispose]();
    await reader.cancel();
  };
  const take = async (): Promise<void> => {
    for (;;) {
      const { done, value } = await reader.read();
      if (end) return;
      if (done) return finish({});
      reservation.resize(heldBytes + value.length);
      heldBytes += value.length;
      held.push(value);
      changed.resolve();
    }
  };
  take().catch((error) => {
    finish({ error });
    close().catch(() => undefined);
  });
  return {
    close,
    pull: async () => {
      for (;;) {
        const [first] = held;
        if (first && pulledBytes < first.length) {
          const piece = first.subarray(pulledBytes, pulledBytes + limits.mcpAnswerPieceBytes);
          pulledBytes += piece.length;
          return piece;
        }
        if (first) {
          // Only now has the reader asked for more than this.
          held.shift();
          pulledBytes = 0;
          heldBytes -= first.length;
          reservation.resize(heldBytes);
        } else if (end) {
          if ('error' in end) throw end.error;
          return undefined;
        } else {
          changed = Promise.withResolvers();
          await changed.promise;
        }
      }
    },
  };
}
