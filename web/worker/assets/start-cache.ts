import { type DirectoryRow, directoryRowsVersion } from '../../../protocol/image-directories.ts';
import { type ImageManifest, parseImageManifest, startAssets } from '../../../protocol/image-manifest.ts';
import { limits } from '../../../protocol/limits.ts';
import { ramOfState, type SavedState } from '../../../runtimes/v86/memory-image/saved-state.ts';
import { pause } from '../../../sandbox/pause.ts';
import type { ObjectId } from '../../../tree/content/object-id.ts';
import { cacheFiles, openCacheFile, writeCacheFile } from '../../stores/opfs/cache-file.ts';
import { type AccessTrace, noteFirst, readFirst } from './access-trace.ts';
import { aroundRam, encodeHeader, type Part, type ReadPart, readParts } from './cache-file-format.ts';
import type { HttpAssets } from './http-assets.ts';
import { hashPages, hashSample, RamCache } from './ram-cache.ts';
import { sha256 } from './sha256.ts';

/** What a start reads of an image, inflated and verified: the next one reads it from one file. */
export interface StartCache {
  /** Of the manifest. */
  readonly digest: string;
  readonly manifest: ImageManifest;
  /** Of the metadata's objects, in their order. */
  readonly ids: readonly ObjectId[];
  /** What is known of the directories among those. */
  readonly directories: readonly DirectoryRow[];
  /** By the digest of the asset; `undefined` of one that is not what was kept. RAM of the golden state comes late. */
  readonly contents: ReadonlyMap<string, Promise<SavedState | undefined>>;
  /** Told of damage to that RAM, which is found later. */
  onDamage: () => void;
}

const idDigits = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * What was kept last, of whichever image; `undefined` when nothing was, when it is not what was kept,
 * or when the storage does not answer in time (some browsers' hangs in private windows).
 */
export function readStartCache(): Promise<StartCache | undefined> {
  const late = pause(limits.keptStartTimeoutMs).then(() => undefined);
  return Promise.race([readWhole().catch(() => undefined), late]);
}

async function readWhole(): Promise<StartCache | undefined> {
  const [file, first] = await Promise.all([openCacheFile(cacheFiles.start), readFirst()]);
  if (!file) return undefined;
  const told = { onDamage: () => {} };
  const late = { file, first, onDamage: () => told.onDamage() };
  let parts: ReadPart[] = [];
  try {
    parts = readParts(file, hashSample());
  } finally {
    if (parts.every(({ ramAt }) => ramAt === undefined)) file.close();
  }
  // Hashed elsewhere, while the tree is loaded.
  const [manifest, ids, directories, hashes, ...assets] = parts;
  const contents = assets.map((asset): [string, Promise<SavedState | undefined>] => [
    asset.part.digest,
    asset.ramAt === undefined ? wholeState(asset) : lateState(asset, { ...late, hashes }),
  ]);
  const [manifestBytes, idBytes, rowBytes] = await Promise.all([manifest, ids, directories].map(intact));
  if (!manifest || !manifestBytes || !idBytes || !rowBytes) return undefined;
  return Object.assign(told, {
    digest: manifest.part.digest,
    manifest: parseImageManifest(decoder.decode(manifestBytes)),
    ids: splitIds(decoder.decode(idBytes)),
    directories: rowsOf(decoder.decode(rowBytes)),
    contents: new Map(contents),
  });
}

/** Those of another version of this page say nothing to this one. */
function rowsOf(text: string): readonly DirectoryRow[] {
  const { version, rows } = JSON.parse(text) as { version: number; rows: readonly DirectoryRow[] };
  return version === directoryRowsVersion ? rows : [];
}

async function intact(read: ReadPart | undefined): Promise<ArrayBuffer | undefined> {
  return read && (await sha256(read.content)) === read.part.digest ? read.content : undefined;
}

async function wholeState(read: ReadPart): Promise<SavedState | undefined> {
  const bytes = await intact(read);
  return bytes && { bytes };
}

/** A state of which all but RAM was read; the file is let go of in any case. */
async function lateState(
  { part: { digest, ram }, content, ramAt = 0 }: ReadPart,
  {
    file,
    hashes,
    first,
    onDamage,
  }: {
    file: FileSystemSyncAccessHandle;
    hashes: ReadPart | undefined;
    first: AccessTrace | undefined;
    onDamage: () => void;
  },
): Promise<SavedState | undefined> {
  const whole = await intact(hashes);
  if (!whole || !ram || (await sha256(aroundRam(content, ram))) !== ram.rest) {
    file.close();
    return undefined;
  }
  const stored = new RamCache({
    file,
    at: ramAt,
    into: new Uint8Array(content, ram.at, ram.sizeBytes),
    hashes: new Uint8Array(whole),
    first: first?.digest === digest ? first.clusters : new Set(),
    onFirst: (clusters) => void noteFirst({ digest, clusters }),
    onDamage,
  });
  return { bytes: content, stored };
}

/**
 * Keeps what a start of the image with this digest reads, in place of what was kept before.
 * @throws asset-unavailable, corrupt-object, and what the storage throws
 */
export async function writeStartCache(
  digest: string,
  { assets, ids, directories }: { assets: HttpAssets } & Pick<StartCache, 'ids' | 'directories'>,
): Promise<void> {
  const { manifest, bytes } = await assets.manifest({ digest });
  const contents = await Promise.all(startAssets(manifest).map((asset) => assets.content(asset)));
  const golden = contents.find((content) => ramOfState(content));
  const ram = golden && ramOfState(golden);
  const hashes = golden && ram ? hashPages(new Uint8Array(golden, ram.at, ram.sizeBytes)) : new Uint8Array();
  const texts = [ids.join(''), JSON.stringify({ version: directoryRowsVersion, rows: directories })];
  const all = [bytes.buffer, ...texts.map((text) => encoder.encode(text).buffer), hashes.buffer, ...contents];
  const parts = all.map(async (content): Promise<Part> => {
    const part = { digest: await sha256(content), sizeBytes: content.byteLength };
    if (content !== golden || !ram) return part;
    const rest = await sha256(aroundRam(content, ram));
    return { ...part, ram: { ...ram, rest, hash: hashSample() } };
  });
  const header = encodeHeader(await Promise.all(parts));
  await writeCacheFile(cacheFiles.start, [header, ...all.map((content) => new Uint8Array(content))]);
}

/** Slices of one text: a thousand are made in the time of one look-up. */
function splitIds(text: string): ObjectId[] {
  const ids: ObjectId[] = [];
  for (let at = 0; at < text.length; at += idDigits) ids.push(text.slice(at, at + idDigits) as ObjectId);
  return ids;
}
