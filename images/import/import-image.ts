import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import { type BuiltImage, servedFolder } from '../../host/images/built-image.ts';
import { hashNatively } from '../../host/native-hash.ts';
import type { Progress, StepReport } from '../../host/progress.ts';
import type { Architecture } from '../../protocol/architecture.ts';
import { SandboxError } from '../../protocol/errors.ts';
import { imageNamePattern } from '../../protocol/image-manifest.ts';
import { defaultImage } from '../../protocol/sandbox/backend.ts';
import type { FileTree } from '../../tree/live/file-tree.ts';
import { resolvePath } from '../../tree/live/resolve-path.ts';
import { TarExtractor } from '../../tree/tar/extract-tar.ts';
import { createRootTree, maxImageBytes, sealRoot } from '../output/seal-root.ts';
import { writeImage } from '../output/write-image.ts';
import { listProfiles } from '../profiles/profile.ts';
import { findArchitecture } from './find-architecture.ts';
import type { ImageOrigin, TarStream } from './image-origin.ts';
import { importFailure } from './image-origin.ts';
import { nameUser } from './name-user.ts';
import { readFolder } from './read-folder.ts';
import { readTarball } from './read-tarball.ts';

export interface ImportRequest {
  readonly name: string;
  readonly origin: ImageOrigin;
  /** By default what a program of it says. */
  readonly architecture?: Architecture | undefined;
  /** Whether the user of its sandboxes gets a line in /etc/passwd (`nameUser`): by default the tree is as the files are. */
  readonly namesUser?: boolean;
}

export interface ImportOptions {
  readonly cache: CacheFolder;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
}

/** What a machine that is told nothing else has, MiB. */
const memoryMiB = 512;
const hostname = 'coppice';
const digestPattern = /^[0-9a-f]{64}$/;

/**
 * Makes an image for hosts of a folder or a tar archive, and nothing else: its tree is that of the
 * files as they are. One of that name that was imported before is replaced; sandboxes of it
 * keep theirs. Holds all files in memory meanwhile, 8 GiB at most.
 * @throws invalid-argument, unsupported, aborted, each with what to do about it
 */
export async function importImage(
  { name, origin, architecture, namesUser }: ImportRequest,
  { cache, progress, signal }: ImportOptions,
): Promise<BuiltImage> {
  await assertFree(name);
  hashNatively();
  await cache.sweep();
  const tree = createRootTree();
  const read = await (origin.type === 'folder'
    ? readFolder(origin.path, { ...origin, without: [...(origin.without ?? []), cache.path], signal })
    : readTarball(origin, { signal }));
  const from = origin.type === 'folder' ? origin.path : origin.from;
  await progress.step(`Read ${from}`, (report) => extract(tree, read, { from, report }));
  for (const remark of await read.finish()) progress.warn(remark);
  for (const remark of whatItLacks(tree)) progress.warn(remark);
  if (namesUser) nameUser(tree);
  const profile = { name, hostname, memoryMiB, architecture: architecture ?? findArchitecture(tree) };
  const root = await progress.step('Hash files', (report) => sealRoot(tree, report));
  const manifest = await progress.step('Compress', (report) =>
    writeImage(root, { profile, machine: undefined, offLock: [], cache, report }),
  );
  const text = `${JSON.stringify(manifest, undefined, 1)}\n`;
  await cache.publishFile(`${servedFolder}/${name}.json`, text);
  return { manifest, text, folder: cache.join(servedFolder) };
}

async function assertFree(name: string): Promise<void> {
  const refuse = (why: string) =>
    new SandboxError('invalid-argument', `Cannot import an image as "${name.slice(0, 80)}": ${why}`);
  if (!imageNamePattern.test(name) || digestPattern.test(name))
    throw refuse('a name has up to 64 of a-z, 0-9, dots and dashes');
  if (name === defaultImage || (await listProfiles()).includes(name))
    throw refuse('that is the name of a profile');
}

async function extract(
  tree: FileTree,
  read: TarStream,
  { from, report }: { from: string; report: StepReport },
): Promise<void> {
  const extractor = new TarExtractor(tree, { maxBytes: maxImageBytes });
  const guarded = <T>(work: () => T): T => {
    try {
      return work();
    } catch (cause) {
      throw importFailure(from, (cause as Error).message, cause);
    }
  };
  for await (const piece of read.pieces) {
    guarded(() => extractor.push(piece));
    const { doneBytes, totalBytes } = read.progress();
    report.bytes(doneBytes, totalBytes, `${extractor.entries.toLocaleString('en')} files`);
  }
  guarded(() => extractor.end());
}

/** What those who use sandboxes of it will miss. */
function whatItLacks(tree: FileTree): string[] {
  const found = resolvePath(tree, '/bin/bash');
  const hasBash = typeof found !== 'number' && found.ino !== 0;
  return hasBash
    ? []
    : ['It has no /bin/bash: commands can be run as lists of words only, and there are no terminals'];
}
