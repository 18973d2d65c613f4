import { plainTar } from '../../protocol/archive/plain-tar.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { CheckoutResult } from '../../protocol/sandbox/history.ts';
import type { SnapshotImport } from '../../protocol/sandbox/transfer.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { LiveTree } from '../../tree/live/live-tree.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import { TarExtractor } from '../../tree/tar/extract-tar.ts';
import type { SandboxState } from '../local-sandbox-parts.ts';
import { sealInSlices } from '../seal-in-slices.ts';
import { LocalImport } from './local-import.ts';
import type { PieceRendezvous } from './piece-rendezvous.ts';

/** All files of an archive. What they are made of is stored, but for what came after `previous` was sealed. */
export interface ArchivedFiles {
  readonly snapshot: TreeSnapshot;
  readonly previous: SealedTree | undefined;
}

/** The limits of `tree` hold for the files that come, too. */
export interface TarRestoreParts extends Pick<SandboxState, 'store' | 'image' | 'content' | 'tree'> {
  /** Runs work while no garbage is collected. */
  readonly serialize: <T>(work: () => Promise<T>) => Promise<T>;
}

/** Takes in archives of all files, one at a time. What came of one that is given up is garbage. */
export class TarRestore {
  readonly #parts: TarRestoreParts;
  #current: Promise<LocalImport<CheckoutResult>> | undefined;
  #stored: ObjectId | undefined;

  constructor(parts: TarRestoreParts) {
    this.#parts = parts;
  }

  /** The tree of what has come so far: until `open`'s `goTo` has ended, only this keeps it from being garbage. */
  get stored(): readonly ObjectId[] {
    return this.#stored === undefined ? [] : [this.#stored];
  }

  /** Once all has come, `goTo` makes a snapshot of the files and goes there. @throws busy while another one comes in */
  async open(
    goTo: (files: ArchivedFiles) => Promise<CheckoutResult>,
  ): Promise<SnapshotImport<CheckoutResult>> {
    if (this.#current)
      throw new SandboxError('busy', 'Cannot restore an archive: another one is coming in. Wait for its end');
    const restore = LocalImport.open<CheckoutResult>(async (pieces, onReady) => {
      try {
        onReady();
        const files = await this.#extract(pieces);
        await pieces.ended;
        return await goTo(files);
      } finally {
        this.#current = undefined;
        this.#stored = undefined;
      }
    });
    this.#current = restore;
    return restore;
  }

  /** Gives up what is coming in. */
  async close(): Promise<void> {
    await (await this.#current)?.close();
  }

  async #extract(pieces: PieceRendezvous): Promise<ArchivedFiles> {
    const { totalBytes, totalInodes } = this.#parts.tree.usage();
    const tree = new LiveTree({ content: this.#parts.content, totalBytes, totalInodes });
    const extractor = new TarExtractor(tree, { maxEntries: totalInodes, maxBytes: totalBytes });
    let previous: SealedTree | undefined;
    let unsealedBytes = 0;
    try {
      for await (const piece of plainTar(pieces)) {
        extractor.push(piece);
        unsealedBytes += piece.length;
        if (unsealedBytes < limits.restoreUnsealedBytes) continue;
        previous = await this.#store(tree.snapshot(), previous);
        unsealedBytes = 0;
      }
      extractor.end();
    } catch (cause) {
      throw asRefusal(cause);
    }
    return { snapshot: tree.snapshot(), previous };
  }

  /** Stores what has come, so that it need not be in memory. */
  async #store(snapshot: TreeSnapshot, previous: SealedTree | undefined): Promise<SealedTree> {
    const { store, image, content, serialize } = this.#parts;
    const { sealed, objects } = await sealInSlices(snapshot, previous);
    await serialize(async () => {
      await store.commit({ objects: objects.filter(({ id }) => !image.has(id)), refs: [] });
      this.#stored = sealed.id;
    });
    sealed.settle(content);
    return sealed;
  }
}

/** An archive that is no archive, or too much, is its sender's fault. */
function asRefusal(cause: unknown): unknown {
  if (!(cause instanceof RangeError)) return cause;
  const code = /ENOSPC|more than/.test(cause.message) ? 'limit-exceeded' : 'invalid-argument';
  return new SandboxError(code, `Cannot restore the archive: ${cause.message}`, { cause });
}
