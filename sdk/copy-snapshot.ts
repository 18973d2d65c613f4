import { orAborted, throwIfAborted } from '../protocol/abort.ts';
import type {
  IntakeOptions,
  ParcelReader,
  SandboxBackend,
  SandboxConnection,
  SandboxInfo,
  SnapshotInfo,
  SnapshotIntake,
} from '../protocol/sandbox.ts';

const what = 'Cannot copy the sandbox';

/**
 * Makes a sandbox of a snapshot in another backend, under the same snapshot id. `onProgress` is told how
 * many bytes have arrived. Closes both ends; when it rejects, nothing is left behind.
 */
export async function copySnapshot(
  connection: SandboxConnection,
  options: {
    readonly snapshot: SnapshotInfo['id'];
    readonly to: SandboxBackend;
    readonly intake: IntakeOptions;
    readonly onProgress: (movedBytes: number) => void;
    readonly signal: AbortSignal | undefined;
  },
): Promise<SandboxInfo> {
  const { snapshot, to, intake: intakeOptions, onProgress, signal } = options;
  const intake = await opened(to.openIntake(intakeOptions), signal);
  try {
    const parcel = await opened(connection.openParcel(snapshot), signal);
    try {
      await movePieces({ from: parcel, to: intake }, { onProgress, signal });
    } finally {
      await parcel.close().catch(() => undefined); // What has moved counts, and why it did not.
    }
    throwIfAborted(signal, what);
    // From here on it is there or not: an abort would not know which.
    return await intake.finish();
  } finally {
    await intake.close().catch(() => undefined);
  }
}

async function movePieces(
  { from, to }: { from: ParcelReader; to: SnapshotIntake },
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
