import { orAborted, throwIfAborted } from '../abort.ts';
import { SandboxError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { SandboxConnection } from '../sandbox/connection.ts';
import type { SnapshotInfo, SnapshotOptions } from '../sandbox/history.ts';
import type { SnapshotExport, SnapshotImport } from '../sandbox/transfer.ts';

const what = 'Cannot copy the sandbox';

/** A new snapshot of the files as they are now; who may only look takes what is shown. */
export async function snapshotNow(
  connection: SandboxConnection,
  label: string,
  options: Pick<SnapshotOptions, 'ifChanged' | 'memory'> = {},
): Promise<SnapshotInfo['id']> {
  try {
    return (await connection.history.createSnapshot({ ...options, label })).id;
  } catch (cause) {
    const error = SandboxError.from(cause);
    if (error.code !== 'read-only' && error.code !== 'forbidden') throw error;
    return (await connection.history.get()).head;
  }
}

/**
 * Adds a snapshot of `connection` to the history of `into`: what moves is what no snapshot that both have
 * refers to. `onProgress` is told how many bytes have arrived.
 */
export async function copyIntoHistory(
  connection: SandboxConnection,
  options: {
    readonly into: SandboxConnection;
    readonly snapshot: SnapshotInfo['id'];
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<SnapshotInfo> {
  const { into, ...rest } = options;
  const [here, there] = await Promise.all([connection.history.get(), into.history.get()]);
  const ids = new Set(here.snapshots.map(({ id }) => id));
  const common = there.snapshots.flatMap(({ id }) => (ids.has(id) ? id : []));
  return copySnapshot(connection, {
    ...rest,
    have: common.slice(-limits.exportHave),
    to: () => into.transfer.openImport(),
  });
}

/**
 * Moves a snapshot from `connection` to the import that `to` opens; resolves to what that makes of it.
 * `onProgress` is told how many bytes have arrived. Closes both ends, whether it succeeds or not.
 */
export async function copySnapshot<Made>(
  connection: SandboxConnection,
  options: {
    readonly snapshot: SnapshotInfo['id'];
    /** Snapshots that are there already. */
    readonly have?: readonly SnapshotInfo['id'][];
    readonly to: () => Promise<SnapshotImport<Made>>;
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<Made> {
  const { snapshot, have = [], ...rest } = options;
  return moveStream({ ...rest, from: () => connection.transfer.openExport({ id: snapshot, have }) });
}

/** Moves all that `from` gives to the import that `to` opens, as `copySnapshot` does. */
export async function moveStream<Made>({
  from,
  to,
  onProgress,
  signal,
}: {
  readonly from: () => Promise<SnapshotExport>;
  readonly to: () => Promise<SnapshotImport<Made>>;
  readonly onProgress: (movedBytes: number) => void;
  readonly signal: AbortSignal | undefined;
}): Promise<Made> {
  const snapshotImport = await opened(to(), signal);
  try {
    const reader = await opened(from(), signal);
    try {
      await movePieces({ from: reader, to: snapshotImport }, { onProgress, signal });
    } finally {
      await reader.close().catch(() => undefined); // What has moved counts, and why it did not.
    }
    throwIfAborted(signal, what);
    // From here on it is there or not: an abort would not know which.
    return await snapshotImport.finish();
  } finally {
    await snapshotImport.close().catch(() => undefined);
  }
}

async function movePieces(
  { from, to }: { from: SnapshotExport; to: Pick<SnapshotImport, 'write'> },
  { onProgress, signal }: { onProgress: (movedBytes: number) => void; signal: AbortSignal | undefined },
): Promise<void> {
  let movedBytes = 0;
  let piece = await orAborted(from.read(), { signal, what });
  while (piece) {
    const { bytes } = piece;
    const sizeBytes = bytes.length; // Who takes the bytes may leave none of them here.
    const moving = Promise.all([from.read(), to.write(bytes)]);
    [piece] = await orAborted(moving, { signal, what });
    movedBytes += sizeBytes;
    onProgress(movedBytes);
  }
}

/** What `opening` opens; when the signal aborts first, that is closed as soon as it is open. */
async function opened<T extends { close(): Promise<void> }>(
  opening: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    return await orAborted(opening, { signal, what });
  } catch (error) {
    opening.then((late) => late.close()).catch(() => undefined);
    throw error;
  }
}
