import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isObject } from '../../../protocol/schema.ts';

/** Sandboxes that are written down for one tree: of others than the last ones, its layer is unpacked again once it is gone. */
const sandboxesOfTree = 64;
const fileBytes = 1_048_576;

/** Ids of sandboxes by the tree that they have. */
export type WrittenOwners = ReadonlyMap<string, readonly string[]>;

/** What was written last; nothing where that cannot be read. */
export function readOwners(path: string): WrittenOwners {
  try {
    const text = readFileSync(path, 'utf8');
    const all: unknown = text.length > fileBytes ? undefined : JSON.parse(text);
    if (!isObject(all)) return new Map();
    return new Map(Object.entries(all).filter(isWritten));
  } catch {
    return new Map();
  }
}

function isWritten(entry: [tree: string, owners: unknown]): entry is [string, string[]] {
  const [, owners] = entry;
  return Array.isArray(owners) && owners.length > 0 && owners.every((owner) => typeof owner === 'string');
}

/** In one step, but not for good: it is of use as long as the layers are. A disk that refuses has it forgotten. */
export function writeOwners(path: string, owners: WrittenOwners): void {
  const last = [...owners].map(([tree, sandboxes]) => [tree, sandboxes.slice(-sandboxesOfTree)]);
  const written = `${path}.new`;
  try {
    writeFileSync(written, JSON.stringify(Object.fromEntries(last)), { mode: 0o600 });
    renameSync(written, path);
  } catch {
    rmSync(written, { force: true });
    rmSync(path, { force: true });
  }
}
