import { describe, expect, test } from 'vitest';
import type { MachineImage } from './machine-image.ts';
import { SpareImage } from './spare-image.ts';

const digest = 'a'.repeat(64);

/** An image of which only `warmUp` is there. */
function image(warmUp: () => Promise<void> = async () => undefined): MachineImage {
  return { digest, warmUp } as unknown as MachineImage;
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
