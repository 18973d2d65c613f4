import type { WhichImage } from '../../sandbox/place.ts';
import type { MachineImage } from './machine-image.ts';

/** An image that was loaded, with a machine of it made, before anybody asked: for one sandbox. */
export class SpareImage {
  #spare: { readonly digest: string; readonly image: Promise<MachineImage> } | undefined;

  /** Makes it, unless it is there already. A failure leaves none. @throws what `load` throws, and version-mismatch */
  async warmUp(
    { imageDigest, memoryMiB }: { imageDigest: string; memoryMiB: number },
    load: (which: WhichImage) => Promise<MachineImage>,
  ): Promise<void> {
    if (this.#spare?.digest === imageDigest) return;
    const image = load({ digest: imageDigest });
    const spare = { digest: imageDigest, image };
    this.#spare = spare;
    try {
      await (await image).warmUp(memoryMiB);
    } catch (error) {
      if (this.#spare === spare) this.#spare = undefined;
      throw error;
    }
  }

  /** Hands it over, once, to whoever asks for the same image; to anybody else it is of no use any more. */
  async take(which: WhichImage): Promise<MachineImage | undefined> {
    const spare = this.#spare;
    this.#spare = undefined;
    if (!spare || !('digest' in which) || spare.digest !== which.digest) return undefined;
    return spare.image.catch(() => undefined);
  }
}
