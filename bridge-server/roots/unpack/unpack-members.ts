import { throwIfAborted } from '../../../protocol/abort.ts';
import type { ContentSource } from '../../../tree/content/content-source.ts';
import { tarBlockBytes } from '../../../tree/tar/tar-entry.ts';
import { HostTool } from '../../programs/host-tool.ts';
import { type HostAbilities, isSupportedEntry } from '../supported-metadata.ts';
import { linkTar, memberTar, whiteoutTar } from './member-tar.ts';
import type { TreeMember } from './tree-members.ts';

/** Bytes given to tar at a time: headers one by one would be a system call each. */
const batchBytes = 262_144;

export interface UnpackOptions {
  readonly source: ContentSource;
  readonly abilities: HostAbilities;
  /** What is removed leaves a whiteout, so that the folder can be a layer over what it was removed from. */
  readonly whiteouts: boolean;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Makes members in `folder`, which is ours and holds nothing hostile, through GNU tar: it knows
 * nanoseconds, extended attributes and devices, which Node does not.
 * @throws storage-full, aborted, and what `members` throws
 */
export async function unpackMembers(
  folder: string,
  members: AsyncIterable<TreeMember>,
  options: UnpackOptions,
): Promise<void> {
  await using tar = new HostTool('tar', [
    ...tarOptions,
    ...ownerOptions(options.abilities),
    '--directory',
    folder,
  ]);
  let batch: Uint8Array[] = [];
  let bytes = 0;
  const flush = async (): Promise<void> => {
    throwIfAborted(options.signal, 'Cannot unpack a tree');
    await tar.write(Buffer.concat(batch));
    batch = [];
    bytes = 0;
  };
  for await (const member of members) {
    for (const piece of memberPieces(member, options)) {
      batch.push(piece);
      bytes += piece.length;
      if (bytes >= batchBytes) await flush();
    }
  }
  batch.push(new Uint8Array(2 * tarBlockBytes));
  await flush();
  await tar.finish();
}

const tarOptions = [
  '--extract',
  '--file=-',
  '--preserve-permissions',
  '--xattrs',
  '--xattrs-include=*',
  '--numeric-owner',
  '--delay-directory-restore',
];

function ownerOptions({ hasIds }: HostAbilities): string[] {
  return [hasIds ? '--same-owner' : '--no-same-owner'];
}

function* memberPieces(member: TreeMember, options: UnpackOptions): Generator<Uint8Array> {
  const { whiteouts, abilities } = options;
  if (member.type === 'removed' || !isSupportedEntry(member.entry, abilities)) {
    if (whiteouts) yield whiteoutTar(member.path);
  } else if (member.type === 'linked') yield linkTar(member.path, member.to);
  else yield* memberTar(member.path, member.entry, options);
}
