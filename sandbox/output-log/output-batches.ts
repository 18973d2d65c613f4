import { limits } from '../../protocol/limits.ts';
import { objectKinds } from '../../tree/content/kinds.ts';
import type { History } from '../../tree/history/history.ts';
import { type OutputRef, outputChange, outputRefs } from '../../tree/history/history-refs.ts';
import { joinBytes } from '../../tree/join-bytes.ts';
import { storedObject } from '../../tree/objects/hash-object.ts';
import type { SandboxStore } from '../../tree/objects/sandbox-store.ts';

export interface OutputBatchesParts {
  readonly store: Pick<SandboxStore, 'refs' | 'readSync' | 'sizeOf'>;
  readonly history: Pick<History, 'commitBeside'>;
}

/**
 * What the store of a sandbox keeps of what its terminals and commands showed: batches, each a small recording (a gzip) as an
 * object with a ref of its own (protocol/SPEC.md, SN-18). A ring: the oldest go where all take more than `limits.outputLogBytes`.
 */
export class OutputBatches {
  readonly #parts: OutputBatchesParts;
  /** The ring, once it was written to, oldest first, with the bytes of each. */
  #kept: (OutputRef & { readonly sizeBytes: number })[] | undefined;
  #run = 0;

  constructor(parts: OutputBatchesParts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  list(): readonly OutputRef[] {
    return outputRefs(this.#parts.store);
  }

  /** The recording; `undefined` of one that has left the ring, or is damaged. */
  read({ id }: OutputRef): Uint8Array | undefined {
    const bytes = this.#parts.store.readSync(id);
    return bytes?.[0] === objectKinds.outputBatch ? bytes.subarray(1) : undefined;
  }

  /**
   * Adds a batch of this run, and removes the oldest in the same commit. Durable when it resolves; answers how many bytes of the
   * store are garbage by that. @throws storage-full; then the ring is as it was
   */
  async add(recording: Uint8Array): Promise<number> {
    const { store, history } = this.#parts;
    if (!this.#kept) {
      this.#kept = this.list().map((ref) => ({ ...ref, sizeBytes: store.sizeOf(ref.id) }));
      this.#run = Math.max(0, ...this.#kept.map(({ run }) => run)) + 1;
    }
    const object = storedObject(
      joinBytes([Uint8Array.of(objectKinds.outputBatch), recording], recording.length + 1),
    );
    const number = (this.#kept.at(-1)?.number ?? 0) + 1;
    const added = { number, id: object.id, run: this.#run, sizeBytes: object.bytes.length };
    const all = [...this.#kept, added];
    let sizeBytes = all.reduce((sum, each) => sum + each.sizeBytes, 0);
    let from = Math.max(0, all.length - limits.outputLogBatches);
    let goneBytes = 0;
    for (const [index, each] of all.entries()) {
      if (index >= from && sizeBytes <= limits.outputLogBytes) break;
      sizeBytes -= each.sizeBytes;
      goneBytes += each.sizeBytes;
      from = Math.max(from, index + 1);
    }
    const gone = all.slice(0, from).map((each) => outputChange(each, { isKept: false }));
    await history.commitBeside({ objects: [object], refs: [...gone, outputChange(added, { isKept: true })] });
    this.#kept = all.slice(from);
    return goneBytes;
  }
}
