import { type DirectoryRow, directoryRowsVersion } from '../../protocol/image-directories.ts';
import { type ImageManifest, parseImageManifest, startAssets } from '../../protocol/image-manifest.ts';
import { limits } from '../../protocol/limits.ts';
import { pause } from '../../sandbox/pause.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import { readKeptFile, writeKeptFile } from '../stores/opfs/kept-file.ts';
import type { HttpAssets } from './http-assets.ts';
import { sha256 } from './sha256.ts';

/** What a start reads of an image, inflated and verified: the next one reads it from one file. */
export interface KeptStart {
  /** Of the manifest. */
  readonly digest: string;
  readonly manifest: ImageManifest;
  /** Of the metadata's objects, in their order. */
  readonly ids: readonly ObjectId[];
  /** What is known of the directories among those. */
  readonly directories: readonly DirectoryRow[];
  /** By the digest of the asset; `undefined` of one that is not what was kept. */
  readonly contents: ReadonlyMap<string, Promise<ArrayBuffer | undefined>>;
}

/** A part of the file. The header lists them in JSON, after its own length in 4 bytes (little-endian). */
interface Part {
  /** SHA-256. */
  readonly digest: string;
  readonly sizeBytes: number;
}

const lengthBytes = 4;
const idDigits = 64;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * What was kept last, of whichever image; `undefined` when nothing was, when it is not what was kept,
 * or when the storage does not answer in time (some browsers' hangs in private windows).
 */
export function readKeptStart(): Promise<KeptStart | undefined> {
  const late = pause(limits.keptStartTimeoutMs).then(() => undefined);
  return Promise.race([readWhole().catch(() => undefined), late]);
}

async function readWhole(): Promise<KeptStart | undefined> {
  const parts = await readKeptFile(readParts);
  if (!parts) return undefined;
  // Hashed elsewhere, the golden state while the tree is loaded.
  const contents = parts.map(({ part, content }) => ({ ...part, content: intact(content, part.digest) }));
  const [manifest, ids, directories, ...assets] = contents;
  const [manifestBytes, idBytes, rowBytes] = await Promise.all(
    [manifest, ids, directories].map((part) => part?.content),
  );
  if (!manifest || !manifestBytes || !idBytes || !rowBytes) return undefined;
  return {
    digest: manifest.digest,
    manifest: parseImageManifest(decoder.decode(manifestBytes)),
    ids: splitIds(decoder.decode(idBytes)),
    directories: rowsOf(decoder.decode(rowBytes)),
    contents: new Map(assets.map(({ digest, content }) => [digest, content])),
  };
}

/** Those of another version of this page say nothing to this one. */
function rowsOf(text: string): readonly DirectoryRow[] {
  const { version, rows } = JSON.parse(text) as { version: number; rows: readonly DirectoryRow[] };
  return version === directoryRowsVersion ? rows : [];
}

async function intact(content: ArrayBuffer, digest: string): Promise<ArrayBuffer | undefined> {
  return (await sha256(content)) === digest ? content : undefined;
}

/**
 * Keeps what a start of the image with this digest reads, in place of what was kept before.
 * @throws asset-unavailable, corrupt-object, and what the storage throws
 */
export async function keepStart(
  digest: string,
  { assets, ids, directories }: { assets: HttpAssets } & Pick<KeptStart, 'ids' | 'directories'>,
): Promise<void> {
  const { manifest, bytes } = await assets.manifest({ digest });
  const texts = [ids.join(''), JSON.stringify({ version: directoryRowsVersion, rows: directories })];
  const contents = [bytes.buffer, ...texts.map((text) => encoder.encode(text).buffer)];
  for (const asset of startAssets(manifest)) contents.push(await assets.content(asset));
  const parts = await Promise.all(
    contents.map(
      async (content): Promise<Part> => ({ digest: await sha256(content), sizeBytes: content.byteLength }),
    ),
  );
  const header = encoder.encode(JSON.stringify(parts));
  const length = new Uint8Array(lengthBytes);
  new DataView(length.buffer).setUint32(0, header.length, true);
  await writeKeptFile([length, header, ...contents.map((content) => new Uint8Array(content))]);
}

function readParts(file: FileSystemSyncAccessHandle): { part: Part; content: ArrayBuffer }[] | undefined {
  const length = new DataView(new ArrayBuffer(lengthBytes));
  file.read(length, { at: 0 });
  const header = new Uint8Array(Math.min(length.getUint32(0, true), limits.keptStartHeaderBytes));
  file.read(header, { at: lengthBytes });
  let at = lengthBytes + header.length;
  try {
    return (JSON.parse(decoder.decode(header)) as Part[]).map((part) => {
      if (at + part.sizeBytes > file.getSize()) throw new RangeError('The file was cut short');
      const content = new ArrayBuffer(part.sizeBytes);
      file.read(content, { at });
      at += part.sizeBytes;
      return { part, content };
    });
  } catch {
    return undefined;
  }
}

/** Slices of one text: a thousand are made in the time of one look-up. */
function splitIds(text: string): ObjectId[] {
  const ids: ObjectId[] = [];
  for (let at = 0; at < text.length; at += idDigits) ids.push(text.slice(at, at + idDigits) as ObjectId);
  return ids;
}
