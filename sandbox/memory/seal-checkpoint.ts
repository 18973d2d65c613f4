import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type {
  LiveMachine,
  MachineCheckpoint,
  SealedCheckpoint,
  ShownTerminal,
} from '../machine/sandbox-machine.ts';
import { deltaOfCheckpoint } from './delta-of-checkpoint.ts';

export interface SealCheckpointParts {
  readonly live: LiveMachine;
  readonly terminals: readonly ShownTerminal[];
  /** The checkpoint's tree. */
  readonly sealed: SealedTree;
  /** The stored tree that the files' numbers come from. */
  readonly base: SealedTree;
  readonly stored: (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>;
}

/**
 * Makes durable objects of a checkpoint, beside those of its tree: of the numbers of its files, and of its memory.
 * @throws unsupported where the machine cannot
 */
export async function sealCheckpoint(
  checkpoint: MachineCheckpoint,
  { live, terminals, sealed, base, stored }: SealCheckpointParts,
): Promise<SealedCheckpoint> {
  if (!live.seal) {
    const message = 'Cannot store the memory of the machine: this runtime does not, or no machine runs';
    throw new SandboxError('unsupported', message, { details: { feature: 'memory snapshots' } });
  }
  const { delta, objects: removed } = deltaOfCheckpoint(checkpoint.tree, { sealed, base });
  const memory = await live.seal(checkpoint, { terminals, tree: delta.id, stored });
  const objects: StoredObject[] = [...removed, delta, ...memory.objects];
  return { id: memory.id, objects, settle: () => memory.settle() };
}
