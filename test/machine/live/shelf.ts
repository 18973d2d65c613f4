import { BlockCodec } from '../../../runtimes/v86/memory-image/block-codec.ts';
import { type LoadedMemory, loadMemory } from '../../../runtimes/v86/memory-image/load-memory.ts';
import type { ShownTerminal } from '../../../sandbox/machine/sandbox-machine.ts';
import { loadRunningTree } from '../../../sandbox/memory/load-running-tree.ts';
import { sealCheckpoint } from '../../../sandbox/memory/seal-checkpoint.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { MemoryStore } from '../../../tree/objects/memory-store.ts';
import { sealTree } from '../../../tree/objects/seal-tree.ts';
import type { SealedTree } from '../../../tree/objects/sealed-tree.ts';
import type { GuestImage, GuestMachine } from '../../../web/worker/machine/guest-machine.ts';
import { LiveSlot } from '../../../web/worker/machine/live-slot.ts';
import { type GuestParts, openGuest } from './open-guest.ts';

/** What a machine is opened from again. */
export interface Saved {
  readonly tree: ObjectId;
  readonly memory: ObjectId;
}

/** A machine that can be stored while it runs. */
export interface Stored extends AsyncDisposable {
  readonly guest: GuestMachine;
  readonly memory: LoadedMemory | undefined;
  take(): GuestImage;
  /** Stores a checkpoint, by default that of the call. Of its processes with terminals only those go on that are named. */
  save(checkpoint?: GuestImage, terminals?: readonly ShownTerminal[]): Promise<Saved & { sizeBytes: number }>;
  /** Lets other checkpoints go. */
  keepOnly(checkpoints: readonly GuestImage[]): void;
}

/** Stores snapshots of running machines, and starts others from them. */
export class Shelf {
  readonly store = new MemoryStore();
  readonly parts: GuestParts;

  constructor(parts: GuestParts) {
    this.parts = parts;
  }

  /** A machine that begins as the image does. */
  async open(parts = this.parts): Promise<Stored> {
    const base = this.parts.source(this.store).loadTree(this.parts.tree).sealed;
    return this.#stored(await openGuest(parts, { tree: this.#tree(base) }), base);
  }

  async openFrom(saved: Saved, { origin, ...parts } = this.parts): Promise<Stored> {
    const source = this.parts.source(this.store);
    const { sealed, base } = loadRunningTree(saved, source);
    const memory = loadMemory(saved.memory, {
      origin,
      codec: new BlockCodec(parts.watched.openKernels),
      read: (id) => source.verified(id),
    });
    const guest = await openGuest({ origin, ...parts }, { tree: this.#tree(sealed), memory });
    return this.#stored(guest, base, memory);
  }

  #tree(sealed: SealedTree): LiveTree {
    return LiveTree.from(sealed.snapshot, { content: new ContentCache(this.parts.source(this.store)) });
  }

  #stored(guest: GuestMachine, base: SealedTree, memory?: LoadedMemory): Stored {
    const live = new LiveSlot(guest, async () => undefined);
    const save: Stored['save'] = async (checkpoint = live.take(), terminals = []) => {
      const { sealed, objects } = sealTree(checkpoint.tree, base);
      const stored = (ids: readonly ObjectId[]) => this.store.has(ids);
      const made = await sealCheckpoint(checkpoint, { live, terminals, sealed, base, stored });
      await this.store.put([...objects, ...made.objects]);
      made.settle();
      const sizeBytes = made.objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
      return { tree: sealed.id, memory: made.id, sizeBytes };
    };
    return {
      ...{ guest, memory, save },
      take: () => live.take(),
      keepOnly: (checkpoints) => live.keepOnly(checkpoints),
      [Symbol.asyncDispose]: () => guest[Symbol.asyncDispose](),
    };
  }
}
