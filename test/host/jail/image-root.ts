import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { FileAssets } from '../../../host/images/file-assets.ts';
import { ImageSource } from '../../../protocol/image-source.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import { writeTar } from '../../../tree/tar/write-tar.ts';
import { builtImage } from '../../fixtures/built-image.ts';
import { runnableImage } from '../runnable-image.ts';

/** The files of an image that runs here, as the natives of this host. Remove the folder when done. */
export async function unpackImageRoot(): Promise<{ path: string; remove: () => Promise<void> }> {
  const { manifest, folder } = await builtImage(runnableImage);
  const source = await ImageSource.open(manifest, new FileAssets(folder));
  const { snapshot } = loadTree(source, manifest.tree);
  const tree = LiveTree.from(snapshot, { content: new ContentCache(source) });
  const path = await mkdtemp(join(tmpdir(), 'coppice-root-'));
  const tar = spawn('tar', ['-x', '-p', '--numeric-owner', '--xattrs', '-C', path], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const closed = once(tar, 'close');
  await pipeline(Readable.from(writeTar(tree)), tar.stdin);
  const [code] = await closed;
  if (code !== 0) throw new Error(`tar failed (${code})`);
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}
