import { SandboxError } from '../../protocol/errors.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type { LiveMachine, MachineMoment, SealedMoment, ShownTerminal } from '../machine/sandbox-machine.ts';
import { deltaOfMoment } from './delta-of-moment.ts';

export interface SealMomentParts {
  readonly live: LiveMachine;
  readonly terminals: readonly ShownTerminal[];
  /** The moment's tree. */
  readonly sealed: SealedTree;
  /** The stored tree that the files' numbers come from. */
  readonly base: SealedTree;
  readonly stored: (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>;
}

/**
 * Makes durable objects of a moment, beside those of its tree: of the numbers of its files, and of its memory.
 * @throws unsupported where the machine cannot
 */
export async function sealMoment(
  moment: MachineMoment,
  { live, terminals, sealed, base, stored }: SealMomentParts,
): Promise<SealedMoment> {
  if (!live.seal) {
    const message = 'Cannot store the memory of the machine: this runtime does not, or no machine runs';
    throw new SandboxError('unsupported', message, { details: { feature: 'memory snapshots' } });
  }
  const { delta, objects: removed } = deltaOfMoment(moment.tree, { sealed, base });
  const memory = await live.seal(moment, { terminals, tree: delta.id, stored });
  const objects: StoredObject[] = [...removed, delta, ...memory.objects];
  return { id: memory.id, objects, settle: () => memory.settle() };
}
