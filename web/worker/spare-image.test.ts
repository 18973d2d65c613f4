import { describe, expect, test } from 'vitest';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { MachineImage } from './machine/machine-image.ts';
import { SpareImage } from './spare-image.ts';

const digest = 'a'.repeat(64);

const tree = {} as SealedTree;

/** An image of which only a machine of 128 MiB is there, once it is made, until it is let go of. */
function image(warmUp: () => Promise<void> = async () => undefined): MachineImage {
  let isReady = false;
  return {
    digest,
    warmUp: async () => {
      await warmUp();
      isReady = true;
    },
    dropSpare: async () => {
      isReady = false;
    },
    readyTree: (memoryMiB: number) => (isReady && memoryMiB === 128 ? tree : undefined),
  } as unknown as MachineImage;
}

describe('a spare image', () => {
  const like = { imageDigest: digest, memoryMiB: 128 };

  test('goes to the first who asks for the same one', async () => {
    const spare = new SpareImage();
    const made = image();
    await spare.warmUp(like, async () => made);
    expect(await spare.take({ digest })).toBe(made);
    expect(await spare.take({ digest })).toBeUndefined();
  });

  test('is waited for while it is made', async () => {
    const spare = new SpareImage();
    const made = image();
    const loaded = Promise.withResolvers<MachineImage>();
    const warming = spare.warmUp(like, () => loaded.promise);
    const taking = spare.take({ digest });
    loaded.resolve(made);
    expect(await taking).toBe(made);
    await warming;
  });

  test('X-5 goes on from what ran elsewhere once its machine is made, if it is of the same size', async () => {
    const spare = new SpareImage();
    const made = Promise.withResolvers<void>();
    const slow = image(() => made.promise);
    const warming = spare.warmUp(like, async () => slow);
    const taking = spare.takeReady(like);
    made.resolve();
    expect(await taking).toEqual({ image: slow, tree });
    await warming;
    expect(await spare.takeReady(like)).toBeUndefined();
    await spare.warmUp(like, async () => image());
    expect(await spare.takeReady({ ...like, memoryMiB: 256 })).toBeUndefined();
  });

  test('H-8 lets go of a machine that nobody will have', async () => {
    const spare = new SpareImage();
    const [first, second, third] = [image(), image(), image()];
    await spare.warmUp(like, async () => first);
    await spare.warmUp({ ...like, imageDigest: 'b'.repeat(64) }, async () => second);
    await expect.poll(() => first.readyTree(128)).toBeUndefined();
    expect(second.readyTree(128)).toBe(tree);
    expect(await spare.take({ digest })).toBeUndefined();
    await expect.poll(() => second.readyTree(128)).toBeUndefined();
    await spare.warmUp(like, async () => third);
    expect(await spare.takeReady({ ...like, memoryMiB: 256 })).toBeUndefined();
    expect(third.readyTree(128)).toBeUndefined();
  });

  test('is of no use for another image, or a name, or when it failed', async () => {
    const spare = new SpareImage();
    await spare.warmUp(like, async () => image());
    expect(await spare.take({ digest: 'b'.repeat(64) })).toBeUndefined();
    expect(await spare.take({ digest })).toBeUndefined();
    await spare.warmUp(like, async () => image());
    expect(await spare.take({ name: 'debian' })).toBeUndefined();
    const failing = spare.warmUp(like, async () =>
      image(async () => {
        throw new RangeError('no memory');
      }),
    );
    await expect(failing).rejects.toThrow('no memory');
    expect(await spare.take({ digest })).toBeUndefined();
  });
});
