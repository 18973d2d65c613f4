import { SandboxError } from '../../protocol/errors.ts';
import { limits } from '../../protocol/limits.ts';
import type { SandboxInfo } from '../../protocol/sandbox/sandbox-info.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { objectReferences } from '../../tree/history/object-references.ts';
import type { Extension } from '../../tree/history/snapshot-record.ts';
import type { TreeSnapshot } from '../../tree/live/tree-snapshot.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import { sealSlices } from '../../tree/objects/seal-tree.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { HandedCheckpoint } from '../machine/sandbox-machine.ts';
import type { ObjectSource } from '../object-source.ts';
import { deltaOfCheckpoint } from './delta-of-checkpoint.ts';

/** The files of a sandbox, on their way to another thread. */
export interface HandedFiles {
  /** The tree of that instant, sealed. */
  readonly tree: ObjectId;
  /** The tree delta that makes it, of those objects. */
  readonly delta: ObjectId;
  /** Everything that both need and the image does not have; without its bytes, what went there before. */
  readonly objects: readonly HandedObject[];
}

type HandedObject = Pick<StoredObject, 'id'> & Partial<StoredObject>;

/** Shells of a sandbox, as a snapshot has them (SN-14). */
export interface HandedShells {
  readonly extension: Extension;
  readonly objects: readonly StoredObject[];
}

/**
 * A sandbox as it runs, on its way to another thread of this page, where a fork goes on from it, or will from one that
 * comes later: all of it, or nothing.
 */
export interface HandedMachine extends HandedFiles {
  /** Of the sandbox that it is a fork of. */
  readonly info: SandboxInfo;
  /** The machine's own. */
  readonly memory: object;
  /** The shells that its sandbox has at that instant; nothing of a machine that goes ahead. */
  readonly shells?: HandedShells;
}

/**
 * The tree of a checkpoint, with all that it needs. It is done at once, for nothing may be freed meanwhile, and copies
 * what the sandbox has stored: no more than `limits.handedBytes`. @throws limit-exceeded, missing-object, corrupt-object
 */
export function handOverTree(
  { tree }: Pick<HandedCheckpoint, 'tree'>,
  {
    previous,
    base,
    source,
    before,
  }: {
    /** What was stored last of the same tree. */
    readonly previous: SealedTree;
    readonly base: SealedTree;
    readonly source: ObjectSource;
    /** What went to the same thread before. */
    readonly before?: HandedFiles | undefined;
  },
): HandedFiles {
  const { sealed, objects: fresh } = seal(tree, previous);
  const { delta, objects: removed } = deltaOfCheckpoint(tree, { sealed, base });
  const sent = before?.objects ?? [];
  const files = { tree: sealed.id, delta: delta.id };
  if (before?.tree === files.tree && before.delta === files.delta)
    return { ...files, objects: sent.map(({ id }) => ({ id })) };
  const known = new Map([...fresh, ...removed, delta].map((object) => [object.id, object.bytes]));
  const objects = collect([sealed.id, delta.id], (id) =>
    source.isInImage(id) ? undefined : (known.get(id) ?? source.read(id)),
  );
  const isThere = new Set(sent.map(({ id }) => id));
  return {
    ...files,
    objects: objects.map((object) => (isThere.has(object.id) ? { id: object.id } : object)),
  };
}

function seal(
  tree: TreeSnapshot,
  previous: SealedTree,
): { readonly sealed: SealedTree; readonly objects: readonly StoredObject[] } {
  const objects: StoredObject[] = [];
  let sizeBytes = 0;
  const slices = sealSlices(tree, { previous });
  for (let slice = slices.next(); ; slice = slices.next()) {
    if (slice.done) return { sealed: slice.value.sealed, objects };
    for (const object of slice.value) sizeBytes += object.bytes.length;
    if (sizeBytes > limits.handedBytes) throw tooMuch();
    objects.push(...slice.value);
  }
}

/** Everything that `roots` refer to, but for what `read` leaves out. */
function collect(
  roots: readonly ObjectId[],
  read: (id: ObjectId) => Uint8Array | undefined,
): readonly StoredObject[] {
  const objects: StoredObject[] = [];
  const seen = new Set<ObjectId>();
  const open = [...roots];
  let sizeBytes = 0;
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const bytes = read(id);
    if (!bytes) continue;
    sizeBytes += bytes.length;
    if (sizeBytes > limits.handedBytes) throw tooMuch();
    objects.push({ id, bytes });
    open.push(...objectReferences(bytes));
  }
  return objects;
}

function tooMuch(): SandboxError {
  return new SandboxError('limit-exceeded', 'Cannot hand over the machine: its own files are too large', {
    details: { limitBytes: limits.handedBytes },
  });
}
