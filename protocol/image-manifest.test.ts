import { describe, expect, test } from 'vitest';
import type { ObjectId } from '../tree/content/object-id.ts';
import {
  type FilesManifest,
  imageArchitecture,
  type MachineManifest,
  machineManifest,
  parseImageManifest,
  startAssets,
  visitorBytes,
} from './image-manifest.ts';

const asset = { digest: 'd'.repeat(64), sizeBytes: 10, storedBytes: 5 };
const manifest: MachineManifest = {
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

const forHosts: FilesManifest = {
  format: 2,
  architecture: 'amd64',
  name: 'debian-amd64',
  tree: 'a'.repeat(64) as ObjectId,
  memoryMiB: 256,
  hostname: 'coppice',
  metadata: asset,
  chunkIndex: asset,
  chunkPacks: [{ ...asset, chunks: 3 }],
  offLock: [],
};

describe('image manifests (B-2)', () => {
  test('what is written is read back', () => {
    expect(parseImageManifest(JSON.stringify(manifest))).toEqual(manifest);
    const cold = { ...manifest, golden: undefined };
    expect(parseImageManifest(JSON.stringify(cold))).toEqual(cold);
    expect(parseImageManifest(JSON.stringify(forHosts))).toEqual(forHosts);
  });

  test('an image for hosts has no machine, and a tab says so by name (H-10)', () => {
    expect([manifest, forHosts].map(imageArchitecture)).toEqual(['i386', 'amd64']);
    expect(startAssets(forHosts)).toEqual([asset, asset]);
    expect(machineManifest(manifest)).toBe(manifest);
    expect(() => machineManifest(forHosts)).toThrow(
      expect.objectContaining({
        code: 'unsupported',
        message: expect.stringMatching(/^Cannot run an image for amd64 in a tab.*: run it on a bridge/),
        details: { feature: 'amd64' },
      }),
    );
  });

  test('a visitor downloads the start and not the rest (B-1)', () => {
    expect(visitorBytes(manifest)).toBe(5 * 4 + 100 + 5);
    expect(visitorBytes({ ...manifest, golden: undefined })).toBe(5 * 4 + 5 + 5 * 2);
  });

  test('a later format is refused by its number', () => {
    expect(() => parseImageManifest(JSON.stringify({ ...manifest, format: 3 }))).toThrow(
      expect.objectContaining({
        code: 'version-mismatch',
        message: 'Cannot read the image: its format is 3, not 1 or 2',
      }),
    );
  });

  test('an architecture that nothing is known of is refused by its name (H-10)', () => {
    expect(() => parseImageManifest(JSON.stringify({ ...forHosts, architecture: 'arm64' }))).toThrow(
      expect.objectContaining({ code: 'unsupported', details: { feature: 'arm64' } }),
    );
  });

  test.each([
    ['no JSON', '<html>'],
    ['an image for hosts that does not say for which', { format: 2 }],
    ['an architecture that is a path', { format: 2, architecture: '../x' }],
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
