import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { FileAssets } from '../../../host/images/file-assets.ts';
import { ImageSource } from '../../../protocol/image-source.ts';
import { ContentCache } from '../../../tree/live/content-cache.ts';
import { LiveTree } from '../../../tree/live/live-tree.ts';
import { loadTree } from '../../../tree/objects/load-tree.ts';
import { writeTar } from '../../../tree/tar/write-tar.ts';
import { builtImage } from '../../fixtures/built-image.ts';
import { runnableImage } from '../runnable-image.ts';
import { sharedFolder } from '../shared-layer.ts';
import { buildProbe } from './build-probe.ts';

/** The path of the probe in a root. */
export const probePath = 'usr/bin/coppice-probe';

/**
 * The files of an image that runs here, as the natives of this host, and the probe. All files of tests of one run share
 * them, so they are only read; the first one unpacks them.
 */
export async function imageRoot(): Promise<string> {
  const path = join(sharedFolder(), 'root');
  if (existsSync(path)) return path;
  const made = await mkdtemp(join(sharedFolder(), 'making-'));
  await unpackImage(made);
  await buildProbe(join(made, probePath));
  await rename(made, path);
  return path;
}

/** A copy of them that may be written to, which is gone when it is disposed of. */
export async function copyImageRoot(): Promise<AsyncDisposable & { readonly path: string }> {
  const from = await imageRoot();
  const folder = await mkdtemp(join(tmpdir(), 'coppice-root-'));
  const path = join(folder, 'root');
  await promisify(execFile)('cp', ['--archive', '--reflink=auto', from, path]);
  return { path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

async function unpackImage(path: string): Promise<void> {
  const { manifest, folder } = await builtImage(runnableImage);
  const source = await ImageSource.open(manifest, new FileAssets(folder));
  const { snapshot } = loadTree(source, manifest.tree);
  const tree = LiveTree.from(snapshot, { content: new ContentCache(source) });
  const tar = spawn('tar', ['-x', '-p', '--numeric-owner', '--xattrs', '-C', path], {
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  const closed = once(tar, 'close');
  await pipeline(Readable.from(writeTar(tree)), tar.stdin);
  const [code] = await closed;
  if (code !== 0) throw new Error(`tar failed (${code})`);
}
