import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { readSnapshotFile, readSnapshotName } from '../../../sdk/snapshot-file.ts';
import { askSharedSize, fetchSharedFile, parseSharedUrl } from './fetch-shared-file.ts';
import { type SharedSnapshot, unpackLink } from './share-link.ts';

interface ReceiveOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

/** A shared snapshot, before the user has agreed to open it. */
export interface ReceivedSnapshot {
  /** The host that has the file; absent where it is in the link itself. */
  readonly host?: string;
  /** The name that its maker gave it (H-9), if it is known yet. */
  readonly name?: string;
  readonly sizeBytes: number | undefined;
  /** Makes a sandbox of it, verifying everything; if that fails, nothing is kept. */
  open(backend: SandboxBackend, options: ReceiveOptions): Promise<SandboxInfo>;
}

/**
 * Inspects what a link shares, without opening it: for a file elsewhere, requests its size and downloads nothing.
 * @throws invalid-argument, limit-exceeded, asset-unavailable, timeout
 */
export async function receiveSnapshot(
  shared: SharedSnapshot,
  { site, signal }: { readonly site: string; readonly signal: AbortSignal },
): Promise<ReceivedSnapshot> {
  if (shared.type === 'file') {
    const url = parseSharedUrl(shared.url, site);
    return {
      host: url.host,
      sizeBytes: await askSharedSize(url, { signal }),
      open: (backend, options) => readSnapshotFile(fetchSharedFile(url, options), backend),
    };
  }
  const file = await unpackLink(shared.text);
  return {
    name: readSnapshotName(file),
    sizeBytes: file.length,
    open: (backend, { signal: opening }) => {
      if (opening.aborted) throw new SandboxError('aborted', 'The snapshot was not opened');
      return readSnapshotFile(onePiece(file), backend);
    },
  };
}

/** A copy: the receiver may transfer the buffer. */
async function* onePiece(file: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield new Uint8Array(file);
}
