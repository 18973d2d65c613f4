import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SandboxError } from '../../protocol/errors.ts';
import { HostImages } from './host-images.ts';

test('an image that is not there is asked for by its name, again after it could not be made, and never by a digest', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'coppice-images-'));
  try {
    const asked: string[] = [];
    const provide = async (name: string) => {
      asked.push(name);
      throw new SandboxError('asset-unavailable', 'The archive does not answer');
    };
    const images = new HostImages(folder, { provide });
    await expect(images.load({ name: 'one' })).rejects.toThrow('does not answer');
    expect(asked).toEqual(['one']);
    await expect(images.load({ name: 'one' })).rejects.toThrow('does not answer');
    expect(asked).toEqual(['one', 'one']);
    await expect(images.load({ digest: 'f'.repeat(64) })).rejects.toMatchObject({
      code: 'asset-unavailable',
    });
    expect(asked).toHaveLength(2);
  } finally {
    await rm(folder, { recursive: true });
  }
});
