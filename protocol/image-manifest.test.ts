import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../tree/objects/object-id.ts';
import { type ImageManifest, parseImageManifest, visitorBytes } from './image-manifest.ts';

const asset = { digest: 'd'.repeat(64), sizeBytes: 10, storedBytes: 5 };
const manifest: ImageManifest = {
  format: 1,
  name: 'debian',
  tree: 'a'.repeat(64) as ObjectId,
  memoryMiB: 128,
  hostname: 'coppice',
  kernel: asset,
  initramfs: asset,
  bios: asset,
  vgaBios: asset,
  metadata: asset,
  chunkIndex: asset,
  chunkPacks: [
    { ...asset, chunks: 3 },
    { ...asset, storedBytes: 1_000_000, chunks: 9 },
  ],
  golden: { ...asset, storedBytes: 100, session: asset, v86: '0.5.462+g5f9a90f' },
  offLock: ['bash 5.2-1 → 5.2-2'],
};

describe('image manifests (B-2)', () => {
  test('what is written is read back', () => {
    expect(parseImageManifest(JSON.stringify(manifest))).toEqual(manifest);
    expect(parseImageManifest(JSON.stringify({ ...manifest, golden: undefined })).golden).toBeUndefined();
  });

  test('a visitor downloads the start and not the rest (B-1)', () => {
    expect(visitorBytes(manifest)).toBe(5 * 4 + 100 + 5);
    expect(visitorBytes({ ...manifest, golden: undefined })).toBe(5 * 4 + 5 + 5 * 2);
  });

  test('a later format is refused by its number', () => {
    expect(() => parseImageManifest(JSON.stringify({ ...manifest, format: 2 }))).toThrow(
      expect.objectContaining({
        code: 'version-mismatch',
        message: 'Cannot read the image: its format is 2, not 1',
      }),
    );
  });

  test.each([
    ['no JSON', '<html>'],
    ['no object', '[]'],
    ['a name that is a path', { name: '../x' }],
    ['a tree that is no id', { tree: 'A'.repeat(64) }],
    ['memory that is no number', { memoryMiB: '128' }],
    ['more memory than a tab has', { memoryMiB: 1e9 }],
    ['a digest that is a path', { kernel: { ...asset, digest: '../../../etc/passwd' } }],
    ['a negative size', { bios: { ...asset, sizeBytes: -1 } }],
    ['a size past the limit', { bios: { ...asset, sizeBytes: 2 ** 40 } }],
    ['an asset that is missing', { metadata: undefined }],
    ['packs that are no list', { chunkPacks: {} }],
    ['a pack without its chunks', { chunkPacks: [asset] }],
    ['too many packs', { chunkPacks: Array(20_000).fill({ ...asset, chunks: 1 }) }],
    ['a golden state of no version', { golden: { ...asset, session: asset } }],
    ['a golden state without its session', { golden: { ...asset, v86: '0.5' } }],
    ['off-lock that is no text', { offLock: [1] }],
  ])('refuses %s', (_, change) => {
    const text = typeof change === 'string' ? change : JSON.stringify({ ...manifest, ...change });
    expect(() => parseImageManifest(text)).toThrow(expect.objectContaining({ code: 'invalid-argument' }));
  });
});
