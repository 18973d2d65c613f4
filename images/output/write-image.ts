import { availableParallelism } from 'node:os';
import type { CacheFolder } from '../../host/cache/cache-folder.ts';
import type { StepReport } from '../../host/progress.ts';
import type { GoldenSession } from '../../protocol/golden-session.ts';
import {
  type ChunkPack,
  type GoldenState,
  type ImageAsset,
  type ImageManifest,
  imageFormats,
  type MachineManifest,
} from '../../protocol/image-manifest.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { encodePack } from '../../tree/objects/pack.ts';
import type { Machine } from '../machine/machine.ts';
import type { Profile } from '../profiles/profile.ts';
import { compressionLevels, writeAsset } from './asset-writer.ts';
import { encodeChunkIndex, planPacks } from './plan-packs.ts';
import type { SealedRoot } from './seal-root.ts';

/** A booted machine's state and what it read on its way to the prompt. */
export interface Golden {
  readonly v86: string;
  readonly state: Uint8Array;
  readonly session: GoldenSession;
  readonly touched: ReadonlySet<ObjectId>;
}

/** What an image is run on in a tab. */
interface ImageMachine {
  readonly parts: Machine;
  readonly golden: Golden | undefined;
}

export interface WriteOptions {
  readonly profile: Pick<Profile, 'name' | 'architecture' | 'hostname' | 'memoryMiB'>;
  /** Without one, the image is for hosts alone. */
  readonly machine: ImageMachine | undefined;
  readonly offLock: readonly string[];
  readonly cache: CacheFolder;
  readonly report: StepReport;
}

/** Compresses and stores every part of an image; answers the manifest that names them. */
export async function writeImage(root: SealedRoot, options: WriteOptions): Promise<ImageManifest> {
  const { profile, machine, cache, report } = options;
  const plan = planPacks(root.objects, machine?.golden?.touched ?? new Set());
  const totalBytes = root.objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const level = machine ? compressionLevels.visitor : compressionLevels.host;
  let doneBytes = 0;
  const pack = async (objects: readonly { readonly bytes: Uint8Array }[]) => {
    const asset = await writeAsset(encodePack(objects.map(({ bytes }) => bytes)), { cache, level });
    doneBytes += asset.sizeBytes;
    report.bytes(Math.min(doneBytes, totalBytes), totalBytes);
    return asset;
  };
  const chunkPacks: ChunkPack[] = [];
  const packs = plan.chunkPacks.entries();
  const stopping = new AbortController();
  const lane = async () => {
    for (const [index, chunks] of packs) {
      if (stopping.signal.aborted) return;
      chunkPacks[index] = { ...(await pack(chunks)), chunks: chunks.length };
    }
  };
  const lanes = Array.from({ length: availableParallelism() }, () =>
    lane().catch((error: unknown) => stopping.abort(error)),
  );
  // Whoever is told of a failure may remove the folder: nothing is written to it any more by then.
  await Promise.all(lanes);
  stopping.signal.throwIfAborted();
  const files = {
    name: profile.name,
    tree: root.tree,
    memoryMiB: profile.memoryMiB,
    hostname: profile.hostname,
    metadata: await pack(plan.metadata),
    chunkIndex: await writeAsset(encodeChunkIndex(plan.chunkPacks), { cache, level }),
    chunkPacks,
    offLock: options.offLock,
  };
  const { architecture } = profile;
  if (!machine) return { format: imageFormats.files, architecture, ...files };
  return { format: imageFormats.machine, ...files, ...(await writeMachine(machine, cache)) };
}

async function writeMachine(
  { parts, golden }: ImageMachine,
  cache: CacheFolder,
): Promise<Pick<MachineManifest, 'kernel' | 'initramfs' | 'bios' | 'vgaBios' | 'golden'>> {
  const write = (content: Uint8Array) => writeAsset(content, { cache, level: compressionLevels.visitor });
  return {
    kernel: await write(parts.kernel),
    initramfs: await write(parts.initramfs),
    bios: await write(parts.bios),
    vgaBios: await write(parts.vgaBios),
    golden: golden && (await goldenState(golden, write)),
  };
}

async function goldenState(
  golden: Golden,
  write: (content: Uint8Array) => Promise<ImageAsset>,
): Promise<GoldenState> {
  const session = await write(Buffer.from(JSON.stringify(golden.session)));
  return { ...(await write(golden.state)), session, v86: golden.v86 };
}
