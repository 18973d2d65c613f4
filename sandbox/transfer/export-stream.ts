import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { ExportPiece, SnapshotExport } from '../../protocol/sandbox/transfer.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { exportSnapshot } from '../../tree/history/export-snapshot.ts';
import type { History } from '../../tree/history/history.ts';
import { reachableObjects } from '../../tree/history/reachable-objects.ts';
import type { SnapshotId } from '../../tree/history/snapshot-record.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { ImageObjects } from '../image-objects.ts';

type ExportedImage = Omit<ImageObjects, 'directories'>;

export interface ExportParts {
  readonly store: SandboxStore;
  readonly history: History;
  readonly image: ExportedImage;
  /** Snapshots that the receiver has. */
  readonly have?: readonly SnapshotId[] | undefined;
  /** Throws when there is nothing to read from any more. */
  readonly assertOpen: () => void;
}

/** A snapshot for a receiver that has the image, if there is one, and the snapshots `have`. @throws not-found, limit-exceeded */
export async function openSnapshotExport(id: SnapshotId, parts: ExportParts): Promise<SnapshotExport> {
  const { store, history, image, have = [], assertOpen } = parts;
  history.get(id);
  if (have.length > limits.exportHave) {
    throw new SandboxError('limit-exceeded', `Cannot compare with ${have.length} snapshots`, {
      details: { limit: limits.exportHave },
    });
  }
  const common = new Set(have.filter((each) => history.has(each)));
  const read = (object: ObjectId) => store.readSync(object);
  const { ids: had } = await reachableObjects(common, { read, skip: (object) => image.has(object) });
  const exclude = (object: ObjectId): boolean => image.has(object) || had.has(object);
  // What is nearest differs least.
  const nearest =
    history.log(id).find((each) => common.has(each)) ?? have.findLast((each) => common.has(each));
  const shorten = {
    root: nearest ?? image.tree,
    read: (object: ObjectId) => read(object) ?? readImage(image, object),
  };
  return new ExportStream(exportSnapshot(store, id, { exclude, shorten }), { assertOpen });
}

/** An object of the image, unless there is no way to get at it now. */
function readImage(image: ExportedImage, id: ObjectId): Uint8Array | undefined {
  try {
    return image.has(id) ? image.read(id) : undefined;
  } catch {
    return undefined; // It would only have made the export shorter.
  }
}

/** A stream of objects in pieces of at most `limits.archivePieceBytes`; nothing is read ahead. */
class ExportStream implements SnapshotExport {
  readonly #parts: AsyncIterator<Uint8Array>;
  readonly #assertOpen: () => void;
  /** Of a part that did not fit its piece. */
  #rest: Uint8Array = new Uint8Array(0);
  #closed: Promise<void> | undefined;

  /** `assertOpen` throws when there is nothing to read from any more. */
  constructor(parts: AsyncIterable<Uint8Array>, options: { readonly assertOpen: () => void }) {
    this.#parts = parts[Symbol.asyncIterator]();
    this.#assertOpen = options.assertOpen;
  }

  async read(): Promise<ExportPiece | undefined> {
    const bytes = new Uint8Array(limits.archivePieceBytes);
    let length = 0;
    while (length < bytes.length) {
      const part = this.#rest.length > 0 ? this.#rest : await this.#next();
      if (!part) break;
      const count = Math.min(part.length, bytes.length - length);
      bytes.set(part.subarray(0, count), length);
      this.#rest = part.subarray(count);
      length += count;
    }
    return length === 0 ? undefined : { bytes: bytes.subarray(0, length) };
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await this.#parts.return?.();
    })();
    return this.#closed;
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#closed) throw new SandboxError('connection-lost', 'The export was closed');
    this.#assertOpen();
    try {
      const { done, value } = await this.#parts.next();
      return done ? undefined : value;
    } catch (error) {
      throw SandboxError.from(error);
    }
  }
}
