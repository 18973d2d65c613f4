import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { HandedMemory } from '../../runtimes/v86/memory-image/handed-memory.ts';
import type { WhichImage } from '../../sandbox/backend/runtime-driver.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { MachineImage } from './machine/machine-image.ts';

interface Spare {
  readonly digest: string;
  readonly image: Promise<MachineImage>;
  /** Once its machine is made. */
  readonly ready: Promise<void>;
}

/** An image that was loaded, with a machine of it made, before anybody asked: for one sandbox. */
export class SpareImage {
  #spare: Spare | undefined;

  /** Makes it, unless it is there already. A failure leaves none. @throws what `load` throws, and version-mismatch */
  async warmUp(
    { imageDigest, memoryMiB }: { imageDigest: string; memoryMiB: number },
    load: (which: WhichImage) => Promise<MachineImage>,
  ): Promise<void> {
    if (this.#spare?.digest === imageDigest) return;
    const image = load({ digest: imageDigest });
    const ready = image.then((loaded) => loaded.warmUp(memoryMiB));
    const spare = { digest: imageDigest, image, ready };
    if (this.#spare) void letGo(this.#spare);
    this.#spare = spare;
    try {
      await ready;
    } catch (error) {
      if (this.#spare === spare) this.#spare = undefined;
      throw error;
    }
  }

  /** Hands it over, once, to whoever asks for the same image; to anybody else it is of no use any more. */
  async take(which: WhichImage): Promise<MachineImage | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (!spare) return undefined;
    if (!('digest' in which) || spare.digest !== which.digest) {
      void letGo(spare);
      return undefined;
    }
    return spare.image.catch(() => undefined);
  }

  /** Puts another machine's memory into the one that stands ready, ahead of one to go on from, and leaves it there. */
  async putAhead(
    { imageDigest, memoryMiB }: Pick<SandboxInfo, 'imageDigest' | 'memoryMiB'>,
    memory: object,
  ): Promise<{ image: MachineImage; tree: SealedTree } | undefined> {
    const spare = this.#spare;
    if (spare?.digest !== imageDigest) return undefined;
    await spare.ready.catch(() => undefined); // Then it has none.
    const image = await spare.image;
    const tree = image.readyTree(memoryMiB);
    if (this.#spare !== spare || !tree || !image.ahead) return undefined;
    image.ahead.put(memory as HandedMemory);
    return { image, tree };
  }

  /** Hands it over as `take` does, once a machine of this size is made of it, with the tree of the image; nothing where none will be. */
  async takeReady({
    imageDigest,
    memoryMiB,
  }: Pick<SandboxInfo, 'imageDigest' | 'memoryMiB'>): Promise<
    { image: MachineImage; tree: SealedTree } | undefined
  > {
    const spare = this.#spare;
    const image = await this.take({ digest: imageDigest });
    await spare?.ready.catch(() => undefined); // Then it has none.
    const tree = image?.readyTree(memoryMiB);
    if (image && tree) return { image, tree };
    await image?.dropSpare();
    return undefined;
  }
}

/** Of a spare that nobody will take, once it is there. */
async function letGo({ image, ready }: Spare): Promise<void> {
  await ready.catch(() => undefined); // Its failure was told to who has it made.
  await image.then((loaded) => loaded.dropSpare()).catch(() => undefined);
}
