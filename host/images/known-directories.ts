import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DirectoryRow, directoryRowsVersion } from '../../protocol/image-directories.ts';
import { assetFileName, type ImageManifest } from '../../protocol/image-manifest.ts';
import type { ImageSource } from '../../protocol/image-source.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';

/** What opening an image once has found out: the ids of its metadata's objects, and sizes of its directories. */
interface KnownDirectories {
  readonly ids?: readonly ObjectId[];
  readonly directories?: readonly DirectoryRow[];
}

const isId = /^[0-9a-f]{64}$/;

/** The name of the file that they are kept in, beside the image's own. */
export function knownDirectoriesFile({ metadata }: ImageManifest): string {
  return `${assetFileName(metadata)}.known`;
}

/** Those of an image in a folder, for `ImageSource.open`, which hashes and reads nothing twice then; none where none are kept. */
export async function readKnownDirectories(
  folder: string,
  manifest: ImageManifest,
): Promise<KnownDirectories> {
  try {
    const kept: unknown = JSON.parse(await readFile(join(folder, knownDirectoriesFile(manifest)), 'utf8'));
    const { version, ids, directories } = Object(kept);
    if (version !== directoryRowsVersion || !isListOf(ids, isObjectId) || !isListOf(directories, isRow))
      return {};
    return { ids, directories };
  } catch {
    return {};
  }
}

/** Keeps them for the next that opens the image. Without them it takes longer, and nothing else, so a full disk is no error. */
export async function writeKnownDirectories(folder: string, source: ImageSource): Promise<void> {
  const path = join(folder, knownDirectoriesFile(source.manifest));
  const writing = `${path}.writing`;
  const text = JSON.stringify({
    version: directoryRowsVersion,
    ids: source.metadataIds(),
    directories: source.directories.rows(),
  });
  await writeFile(writing, text)
    .then(() => rename(writing, path))
    .catch(() => undefined);
}

function isListOf<T>(value: unknown, is: (item: unknown) => item is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

function isObjectId(value: unknown): value is ObjectId {
  return typeof value === 'string' && isId.test(value);
}

function isRow(value: unknown): value is DirectoryRow {
  return Array.isArray(value) && value.length === 7 && value.every(isCount);
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
