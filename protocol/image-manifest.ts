import { type ObjectId, parseObjectId } from '../tree/content/object-id.ts';
import { type Architecture, assertRunsInTab, isArchitecture, tabArchitecture } from './architecture.ts';
import { SandboxError } from './errors.ts';
import { limits } from './limits.ts';

/**
 * The manifest formats: an image with the machine that a tab runs it on, and one with files alone, for
 * hosts. A reader refuses every other number by name, as one that knows only the first refuses the second.
 */
export const imageFormats = { machine: 1, files: 2 } as const;

/** Valid names of an image; also a file name. */
export const imageNamePattern: RegExp = /^[a-z0-9][a-z0-9.-]{0,63}$/;

/** One file of an image. Stored as gzip under `<digest>.gz`, so it can be cached for ever. */
export interface ImageAsset {
  /** SHA-256 of the content before compression, 64 hex digits. */
  readonly digest: string;
  /** Size of the content. */
  readonly sizeBytes: number;
  /** Size of the gzip file: what a visitor downloads. */
  readonly storedBytes: number;
}

/** A pack of chunks; `chunks` says how many entries of the chunk index are its own. */
export interface ChunkPack extends ImageAsset {
  readonly chunks: number;
}

/** The saved state of a machine that has booted the image and has a shell at its prompt. */
export interface GoldenState extends ImageAsset {
  /** The session that belongs to the state (protocol/golden-session.ts). */
  readonly session: ImageAsset;
  /** Version of v86 that wrote it; no other version is promised to read it. */
  readonly v86: string;
}

/** The files of an image, by digest. */
interface ImageFiles {
  readonly name: string;
  /** The root of the file tree. */
  readonly tree: ObjectId;
  readonly memoryMiB: number;
  readonly hostname: string;
  /** A pack (tree/objects/pack.ts) of every object of the tree that is not a chunk. */
  readonly metadata: ImageAsset;
  /** The first 8 bytes of each chunk's id, pack after pack. */
  readonly chunkIndex: ImageAsset;
  /** The first one contains what a start reads up to the prompt. */
  readonly chunkPacks: readonly ChunkPack[];
  /** Packages that are not the ones the lock names: the image is off its lock. */
  readonly offLock: readonly string[];
}

/** An image with everything that a machine of `tabArchitecture` starts from: tabs and hosts run it. */
export interface MachineManifest extends ImageFiles {
  readonly format: typeof imageFormats.machine;
  readonly kernel: ImageAsset;
  readonly initramfs: ImageAsset;
  readonly bios: ImageAsset;
  readonly vgaBios: ImageAsset;
  readonly golden: GoldenState | undefined;
}

/** An image without a kernel: only hosts with such processors run it. */
export interface FilesManifest extends ImageFiles {
  readonly format: typeof imageFormats.files;
  readonly architecture: Architecture;
}

/** Everything that is needed to run an image. */
export type ImageManifest = MachineManifest | FilesManifest;

/** The processors that an image's programs are for. */
export function imageArchitecture(manifest: ImageManifest): Architecture {
  return manifest.format === imageFormats.files ? manifest.architecture : tabArchitecture;
}

/** The manifest of an image that a tab can run. @throws unsupported, with what to do instead */
export function machineManifest(manifest: ImageManifest): MachineManifest {
  if (manifest.format === imageFormats.machine) return manifest;
  assertRunsInTab(manifest.architecture);
  throw new SandboxError('unsupported', `Cannot run image "${manifest.name}" in a tab: it has no kernel`, {
    details: { feature: 'kernel' },
  });
}

/** The file that holds an asset. */
export function assetFileName(asset: Pick<ImageAsset, 'digest'>): string {
  return `${asset.digest}.gz`;
}

/** The assets that every start in a tab reads, the largest last; without a golden state, also the first pack. */
export function startAssets(manifest: ImageManifest): ImageAsset[] {
  if (manifest.format === imageFormats.files) return [manifest.metadata, manifest.chunkIndex];
  const { golden, metadata, chunkIndex, bios, vgaBios, kernel, initramfs } = manifest;
  const state = golden ? [golden.session, golden] : [initramfs, kernel];
  return [metadata, chunkIndex, bios, vgaBios, ...state];
}

/** What a visitor downloads to reach the prompt, in bytes, the manifest itself excluded. */
export function visitorBytes(manifest: MachineManifest): number {
  const firstPack = manifest.golden ? [] : manifest.chunkPacks.slice(0, 1);
  return [...startAssets(manifest), ...firstPack].reduce((sum, asset) => sum + asset.storedBytes, 0);
}

/**
 * Parses an untrusted manifest.
 * @throws version-mismatch for another format, unsupported for processors that nothing is known of,
 * invalid-argument for anything malformed
 */
export function parseImageManifest(text: string): ImageManifest {
  if (text.length > limits.imageManifestBytes) throw malformed('it is too long');
  const root = record(parseJson(text), 'manifest');
  switch (root.format) {
    case imageFormats.machine:
      return { format: imageFormats.machine, ...imageFiles(root), ...machineParts(root) };
    case imageFormats.files:
      return { format: imageFormats.files, architecture: architecture(root), ...imageFiles(root) };
    default: {
      const known = Object.values(imageFormats).join(' or ');
      const why = `its format is ${show(root.format)}, not ${known}`;
      throw new SandboxError('version-mismatch', `Cannot read the image: ${why}`);
    }
  }
}

function imageFiles(root: Record<string, unknown>): ImageFiles {
  return {
    name: matching(root.name, 'name', imageNamePattern),
    tree: parseObjectId(matching(root.tree, 'tree', /^[0-9a-f]{64}$/)),
    memoryMiB: integer(root.memoryMiB, 'memoryMiB', { min: 16, max: 2048 }),
    hostname: matching(root.hostname, 'hostname', /^[a-z0-9][a-z0-9-]{0,62}$/),
    metadata: asset(root.metadata, 'metadata'),
    chunkIndex: asset(root.chunkIndex, 'chunkIndex'),
    chunkPacks: list(root.chunkPacks, 'chunkPacks').map((value, index) =>
      chunkPack(value, `chunkPacks[${index}]`),
    ),
    offLock: list(root.offLock, 'offLock').map((value, index) =>
      matching(value, `offLock[${index}]`, /^.{1,200}$/),
    ),
  };
}

function machineParts(root: Record<string, unknown>): Omit<MachineManifest, keyof ImageFiles | 'format'> {
  return {
    kernel: asset(root.kernel, 'kernel'),
    initramfs: asset(root.initramfs, 'initramfs'),
    bios: asset(root.bios, 'bios'),
    vgaBios: asset(root.vgaBios, 'vgaBios'),
    golden: root.golden === undefined ? undefined : golden(root.golden),
  };
}

function architecture({ architecture: value }: Record<string, unknown>): Architecture {
  if (isArchitecture(value)) return value;
  const name = matching(value, 'architecture', /^[a-z0-9-]{1,32}$/);
  throw new SandboxError(
    'unsupported',
    `Cannot use the image: it is for "${name}", an unknown architecture`,
    {
      details: { feature: name },
    },
  );
}

function asset(value: unknown, name: string): ImageAsset {
  const fields = record(value, name);
  return {
    digest: matching(fields.digest, `${name}.digest`, /^[0-9a-f]{64}$/),
    sizeBytes: integer(fields.sizeBytes, `${name}.sizeBytes`, { min: 0, max: limits.imageAssetBytes }),
    storedBytes: integer(fields.storedBytes, `${name}.storedBytes`, {
      min: 0,
      max: limits.imageAssetBytes,
    }),
  };
}

function chunkPack(value: unknown, name: string): ChunkPack {
  const chunks = integer(record(value, name).chunks, `${name}.chunks`, { min: 0, max: 1_000_000 });
  return { ...asset(value, name), chunks };
}

function golden(value: unknown): GoldenState {
  return {
    ...asset(value, 'golden'),
    session: asset(record(value, 'golden').session, 'golden.session'),
    v86: matching(record(value, 'golden').v86, 'golden.v86', /^[0-9A-Za-z.+-]{1,40}$/),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw malformed('it is not JSON', cause);
  }
}

function record(value: unknown, name: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw malformed(`${name} is not an object`);
}

function list(value: unknown, name: string): unknown[] {
  if (Array.isArray(value) && value.length <= limits.imageAssets) return value;
  throw malformed(`${name} is not a list of at most ${limits.imageAssets}`);
}

function matching(value: unknown, name: string, pattern: RegExp): string {
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw malformed(`${name} is ${show(value)}`);
}

function integer(value: unknown, name: string, { min, max }: { min: number; max: number }): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max) return value;
  throw malformed(`${name} is ${show(value)}, not an integer from ${min} to ${max}`);
}

function show(value: unknown): string {
  return (JSON.stringify(value) ?? 'missing').slice(0, 80);
}

function malformed(why: string, cause?: unknown): SandboxError {
  return new SandboxError('invalid-argument', `Cannot read the image manifest: ${why}`, { cause });
}
