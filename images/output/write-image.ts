import { availableParallelism } from 'node:os';
import type { GoldenSession } from '../../protocol/golden-session.ts';
import {
  type ChunkPack,
  type GoldenState,
  type ImageManifest,
  imageFormat,
} from '../../protocol/image-manifest.ts';
import type { ObjectId } from '../../tree/objects/object-id.ts';
import { encodePack } from '../../tree/objects/pack.ts';
import type { CacheFolder } from '../cache/cache-folder.ts';
import type { Machine } from '../machine/machine.ts';
import type { Profile } from '../profiles/profile.ts';
import type { StepReport } from '../progress.ts';
import { writeAsset } from './asset-writer.ts';
import { encodeChunkIndex, planPacks } from './plan-packs.ts';
import type { SealedRoot } from './seal-root.ts';

/** A booted machine's state and what it read on its way to the prompt. */
export interface Golden {
  readonly v86: string;
  readonly state: Uint8Array;
  readonly session: GoldenSession;
  readonly touched: ReadonlySet<ObjectId>;
}

export interface WriteOptions {
  readonly profile: Profile;
  readonly machine: Machine;
  readonly golden: Golden | undefined;
  readonly offLock: readonly string[];
  readonly cache: CacheFolder;
  readonly report: StepReport;
}

/** Compresses and stores every part of an image; answers the manifest that names them. */
export async function writeImage(root: SealedRoot, options: WriteOptions): Promise<ImageManifest> {
  const { profile, machine, golden, cache, report } = options;
  const plan = planPacks(root.objects, golden?.touched ?? new Set());
  const totalBytes = root.objects.reduce((sum, { bytes }) => sum + bytes.length, 0);
  let doneBytes = 0;
  const pack = async (objects: readonly { readonly bytes: Uint8Array }[]) => {
    const asset = await writeAsset(encodePack(objects.map(({ bytes }) => bytes)), cache);
    doneBytes += asset.sizeBytes;
    report.bytes(Math.min(doneBytes, totalBytes), totalBytes);
    return asset;
  };
  const chunkPacks: ChunkPack[] = [];
  const packs = plan.chunkPacks.entries();
  const lane = async () => {
    for (const [index, chunks] of packs)
      chunkPacks[index] = { ...(await pack(chunks)), chunks: chunks.length };
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  return {
    format: imageFormat,
    name: profile.name,
    tree: root.tree,
    memoryMiB: profile.memoryMiB,
    hostname: profile.hostname,
    kernel: await writeAsset(machine.kernel, cache),
    initramfs: await writeAsset(machine.initramfs, cache),
    bios: await writeAsset(machine.bios, cache),
    vgaBios: await writeAsset(machine.vgaBios, cache),
    metadata: await pack(plan.metadata),
    chunkIndex: await writeAsset(encodeChunkIndex(plan.chunkPacks), cache),
    chunkPacks,
    golden: golden && (await goldenState(golden, cache)),
    offLock: options.offLock,
  };
}

async function goldenState(golden: Golden, cache: CacheFolder): Promise<GoldenState> {
  const session = await writeAsset(Buffer.from(JSON.stringify(golden.session)), cache);
  return { ...(await writeAsset(golden.state, cache)), session, v86: golden.v86 };
}
