import { SandboxError } from '../../protocol/errors.ts';
import type { SnapshotInfo } from '../../protocol/sandbox/history.ts';
import type { SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import type { History } from '../../tree/history/history.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';
import type { ImageObjects } from '../image-objects.ts';
import { LocalImport } from './local-import.ts';
import { receiveObjects } from './receive-snapshot.ts';

export interface HistoryImportParts {
  readonly store: SandboxStore;
  readonly history: History;
  readonly image: ImageObjects;
  /** Does what must not overlap with other changes of the history. */
  readonly serialize: <T>(work: () => Promise<T>) => Promise<T>;
  /** Told when a snapshot has come in. */
  readonly onTaken: () => void;
}

/** Takes snapshots of other sandboxes into a history, beside HEAD and one at a time. */
export class HistoryImport {
  readonly #parts: HistoryImportParts;
  #current: Promise<LocalImport<SnapshotInfo>> | undefined;

  constructor(parts: HistoryImportParts) {
    this.#parts = parts;
  }

  /** @throws busy while another one comes in */
  async open(): Promise<SnapshotImport<SnapshotInfo>> {
    if (this.#current) throw new SandboxError('busy', 'Cannot take in a snapshot: another one is coming in');
    const { store, history, image, serialize, onTaken } = this.#parts;
    const snapshotImport = LocalImport.open(async (pieces, onReady) => {
      try {
        onReady();
        // A fork may have files in common with others, whose snapshots are no business of who has it.
        const reachable = () => history.live();
        const record = await receiveObjects(pieces, store, { elsewhere: image, reachable });
        await pieces.ended;
        return await serialize(async () => {
          // What came is garbage until now, which may have been collected meanwhile.
          const id = await history.addWhole(record);
          onTaken();
          return history.get(id);
        });
      } finally {
        this.#current = undefined;
      }
    });
    this.#current = snapshotImport;
    return snapshotImport;
  }

  /** Gives up what is coming in. */
  async close(): Promise<void> {
    await (await this.#current)?.close();
  }
}
