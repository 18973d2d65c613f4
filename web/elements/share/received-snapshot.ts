import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend, SandboxInfo } from '../../../protocol/sandbox.ts';
import { readSnapshotFile, readSnapshotName } from '../../../sdk/snapshot-file.ts';
import { askSnapshotSize, fetchSnapshot, parseSnapshotUrl } from './fetch-snapshot.ts';
import { type SharedSnapshot, unpackLink } from './share-link.ts';

interface ReceiveOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (doneBytes: number, totalBytes: number) => void;
}

/** A snapshot that somebody shares, before anybody has agreed to open it. */
export interface ReceivedSnapshot {
  /** The host that has the file; absent where it is in the link itself. */
  readonly host?: string;
  /** What its maker calls it (H-9), where that is known yet. */
  readonly name?: string;
  readonly sizeBytes: number | undefined;
  /** Makes a sandbox of it; all of it is verified, and nothing is left where that fails. */
  open(backend: SandboxBackend, options: ReceiveOptions): Promise<SandboxInfo>;
}

/**
 * Looks at what a link shares, without opening it: of a file elsewhere its size is asked for, and nothing downloaded.
 * @throws invalid-argument, limit-exceeded, asset-unavailable, timeout
 */
export async function receiveSnapshot(
  shared: SharedSnapshot,
  { site, signal }: { readonly site: string; readonly signal: AbortSignal },
): Promise<ReceivedSnapshot> {
  if (shared.type === 'file') {
    const url = parseSnapshotUrl(shared.url, site);
    return {
      host: url.host,
      sizeBytes: await askSnapshotSize(url, { signal }),
      open: (backend, options) => readSnapshotFile(fetchSnapshot(url, options), backend),
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

/** A copy: who takes the bytes may leave none of them here. */
async function* onePiece(file: Uint8Array): AsyncGenerator<Uint8Array, void> {
  yield new Uint8Array(file);
}
