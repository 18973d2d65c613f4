import { rm } from 'node:fs/promises';
import { throwIfAborted } from '../../../protocol/abort.ts';
import { limits } from '../../../protocol/limits.ts';
import type { ContentSource } from '../../../tree/content/content-source.ts';
import { isFile } from '../../../tree/live/file-mode.ts';
import { filePieces } from '../../../tree/tar/file-pieces.ts';
import type { UnpackListener } from '../../contract.ts';
import { HostTool } from '../../programs/host-tool.ts';
import { type HostAbilities, isSupportedEntry } from '../supported-metadata.ts';
import type { TreeMember } from './tree-members.ts';
import { UnpackBatch } from './unpack-frames.ts';

export interface UnpackOptions {
  /** The program guest/unpack (`buildHostProgram`). */
  readonly unpacker: string;
  readonly source: ContentSource;
  readonly abilities: HostAbilities;
  /** What is removed leaves a whiteout, so that the folder can be a layer over what it was removed from. */
  readonly whiteouts: boolean;
  readonly signal?: AbortSignal | undefined;
  /** As `MakeOptions.onUnpack`. */
  readonly onUnpack?: UnpackListener | undefined;
}

/**
 * Makes members in `folder`, which is ours, holds nothing hostile, and is made where it is not there. It is done by a program
 * in C, as Node sets no extended attributes and no nanoseconds, makes no devices, and takes ten times as long for each file.
 * @throws storage-full, read-only, aborted, and what `members` throws
 */
export async function unpackMembers(
  folder: string,
  members: AsyncIterable<TreeMember>,
  options: UnpackOptions,
): Promise<void> {
  try {
    await unpack(folder, members, options);
  } catch (error) {
    // One that was killed at its beginning leaves those.
    const places = Array.from({ length: triedPlaces }, (_, at) => `${folder}.${at}`);
    await Promise.all(places.map((place) => rm(place, { recursive: true, force: true })));
    throw error;
  }
}

/** Where the program looks for a place that files are made quickly at, beside the folder: CANDIDATES of guest/unpack/make-folder.c. */
const triedPlaces = 8;

/** Ends with the program, whatever it ends with. */
async function unpack(
  folder: string,
  members: AsyncIterable<TreeMember>,
  options: UnpackOptions,
): Promise<void> {
  await using tool = new HostTool(options.unpacker, [folder]);
  const batch = new UnpackBatch();
  const told = { files: 0, bytes: 0, atMs: performance.now() };
  const flush = async (): Promise<void> => {
    throwIfAborted(options.signal, 'Cannot unpack a tree');
    // It says why.
    if (tool.hasEnded) await tool.finish();
    await tool.write(batch.take());
    if (performance.now() - told.atMs < limits.unpackToldEveryMs) return;
    told.atMs = performance.now();
    options.onUnpack?.({ files: told.files, bytes: told.bytes });
  };
  for await (const member of members) {
    if (member.type !== 'removed') told.files += 1;
    if (addMember(member, batch, options)) {
      for (const { offset, bytes } of filePieces(options.source, member.entry)) {
        batch.data(offset, bytes);
        told.bytes += bytes.length;
        if (batch.isFull) await flush();
      }
    }
    if (batch.isFull) await flush();
  }
  batch.end();
  await flush();
  await tool.finish();
}

/** Answers whether data is to follow. */
function addMember(
  member: TreeMember,
  batch: UnpackBatch,
  { whiteouts, abilities }: UnpackOptions,
): member is TreeMember & { type: 'made' } {
  if (member.type === 'removed' || !isSupportedEntry(member.entry, abilities)) {
    if (whiteouts) batch.whiteout(member.path);
    return false;
  }
  if (member.type === 'linked') {
    batch.link(member.path, member.to);
    return false;
  }
  batch.entry(member.path, member.entry, abilities);
  return isFile(member.entry.mode);
}
