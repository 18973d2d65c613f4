import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { changedIndex, type IndexChange } from './index-file.ts';
import { indexFormat } from './index-format.ts';
import { entryAt, type IndexEntry } from './read-index.ts';
import type { Repository } from './repository.ts';

/** A row of the index, with the stage of a conflict: 0 where there is none, 1 of the base, 2 of ours, 3 of theirs. */
export interface IndexRow extends IndexEntry {
  readonly stage: number;
}

const { signature, headerBytes, fixedBytes, checksumBytes, extended } = indexFormat;

/** All rows of the index, those of conflicts too; none where there is no index. @throws unsupported, asset-unavailable */
export async function indexRows(repository: Repository): Promise<IndexRow[]> {
  const content = await readContent(repository);
  if (content === undefined) return [];
  const view = new DataView(content.buffer, content.byteOffset, content.byteLength);
  const isIndex = content.length >= headerBytes + checksumBytes && view.getUint32(0) === signature;
  const version = isIndex ? view.getUint32(4) : 0;
  if (version !== 2 && version !== 3) {
    throw new SandboxError('unsupported', 'the index is not of version 2 or 3', {
      details: { remedy: 'Run `git update-index --index-version 2` in a machine or on a host.' },
    });
  }
  const decoder = new TextDecoder();
  const rows: IndexRow[] = [];
  let at = headerBytes;
  for (let count = view.getUint32(8); count > 0; count--) {
    const damaged = new SandboxError('asset-unavailable', 'the index is damaged');
    if (at + fixedBytes > content.length - checksumBytes) throw damaged;
    const flags = view.getUint16(at + fixedBytes - 2);
    const nameAt = at + fixedBytes + (flags & extended ? 2 : 0);
    const end = content.indexOf(0, nameAt);
    if (end < 0 || end > content.length - checksumBytes || end - nameAt > limits.gitPathBytes) throw damaged;
    const path = decoder.decode(content.subarray(nameAt, end));
    rows.push({ ...entryAt(view, { at, path }), stage: (flags >> 12) & 3 });
    at += (end - at + 8) & ~7;
  }
  return rows;
}

/** Changes several entries in one write; where nothing is to change, nothing is written. */
export async function changeIndex(repository: Repository, changes: readonly IndexChange[]): Promise<void> {
  if (changes.length === 0) return;
  const { fs, dir } = repository.at;
  await fs.promises.writeFile(`${dir}/.git/index`, changedIndex(await readContent(repository), changes));
}

async function readContent({ at }: Repository): Promise<Uint8Array | undefined> {
  const content = await at.fs.promises.readFile(`${at.dir}/.git/index`).catch((error) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  return typeof content === 'string' || content?.length === 0 ? undefined : content;
}
