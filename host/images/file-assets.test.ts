import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { assetFileName } from '../../protocol/image-manifest.ts';
import { FileAssets } from './file-assets.ts';

const content = new TextEncoder().encode('a pack of chunks');
const asset = { digest: 'a'.repeat(64), sizeBytes: content.length, storedBytes: 0 };

/** What both ways of reading make of a file: the content, or the code of the error. */
async function readBoth(stored: Uint8Array | undefined): Promise<unknown[]> {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-assets-'));
  try {
    if (stored) await writeFile(join(folder, assetFileName(asset)), stored);
    const assets = new FileAssets(folder);
    const code = (error: unknown) => (error as { code: string }).code;
    const whole = await assets.content(asset).then((bytes) => new Uint8Array(bytes), code);
    const atOnce = async () => new Uint8Array(assets.contentSync(asset));
    return [whole, await atOnce().catch(code)];
  } finally {
    await rm(folder, { recursive: true });
  }
}

test('an asset is read as it was stored, at once or not', async () => {
  expect(await readBoth(gzipSync(content))).toEqual([content, content]);
});

test.each([
  ['is no gzip', Uint8Array.of(1, 2, 3), 'corrupt-object'],
  ['is shorter than promised', gzipSync(content.subarray(1)), 'corrupt-object'],
  ['is empty', new Uint8Array(), 'corrupt-object'],
  ['is a bomb', gzipSync(new Uint8Array(2 ** 20)), 'corrupt-object'],
  ['is not there', undefined, 'asset-unavailable'],
])('an asset that %s is told', async (_, stored, code) => {
  expect(await readBoth(stored)).toEqual([code, code]);
});
