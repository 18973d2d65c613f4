import { throwIfAborted } from '../abort.ts';
import { limits } from '../limits.ts';
import type { SandboxConnection } from '../sandbox/connection.ts';
import type { CheckoutResult } from '../sandbox/history.ts';
import type { RestoreOptions } from '../sandbox/transfer.ts';

export interface RestoreTarOptions extends RestoreOptions {
  readonly signal?: AbortSignal | undefined;
}

/** Sends an archive of all files into a sandbox, which goes on from it. Given up, nothing of it is left. */
export async function restoreTar(
  connection: SandboxConnection,
  source: AsyncIterable<Uint8Array>,
  { signal, ...options }: RestoreTarOptions = {},
): Promise<CheckoutResult> {
  throwIfAborted(signal, 'Cannot restore the archive');
  const restore = await connection.transfer.openRestore(options);
  try {
    for await (const piece of source) {
      for (let at = 0; at < piece.length; at += limits.archivePieceBytes) {
        throwIfAborted(signal, 'Cannot restore the archive');
        // The bytes are the other side's from then on, and the caller may use its buffer again.
        await restore.write(piece.slice(at, at + limits.archivePieceBytes));
      }
    }
    throwIfAborted(signal, 'Cannot restore the archive');
    return await restore.finish();
  } finally {
    await restore.close().catch(() => undefined);
  }
}
