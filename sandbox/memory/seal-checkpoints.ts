import type { ObjectId } from '../../tree/content/object-id.ts';
import { encodeCheckpoint } from '../../tree/history/checkpoint-codec.ts';
import { historyLimits } from '../../tree/history/limits.ts';
import { encodeSnapshot } from '../../tree/history/snapshot-codec.ts';
import type { ContentCache } from '../../tree/live/content-cache.ts';
import type { StoredObject } from '../../tree/objects/object-store.ts';
import type { SealedTree } from '../../tree/objects/sealed-tree.ts';
import type {
  LiveMachine,
  MachineCheckpoint,
  SealedCheckpoint,
  ShownTerminal,
} from '../machine/sandbox-machine.ts';
import type { CheckpointToStore, NotedCheckpoint } from './checkpoint-to-store.ts';
import { runningRecord } from './running-record.ts';

/** Which of these objects are stored, or will be in the same commit. */
export type IsStored = (ids: readonly ObjectId[]) => Promise<ReadonlySet<ObjectId>>;

/** A machine at an instant, with its files: objects of both. */
export interface SealedMachine {
  readonly sealed: SealedTree;
  readonly objects: readonly StoredObject[];
  readonly memory: SealedCheckpoint;
}

interface SealParts {
  readonly live: LiveMachine;
  readonly terminals: readonly ShownTerminal[];
  readonly stored: IsStored;
}

interface SealCheckpointsParts extends Omit<SealParts, 'terminals'> {
  readonly seal: (machine: MachineCheckpoint, parts: SealParts) => Promise<SealedMachine>;
}

/** Checkpoints to be committed together. */
interface SealedCheckpoints {
  readonly objects: readonly StoredObject[];
  readonly noted: readonly NotedCheckpoint[];
  /** To be called once all is durable. */
  settle(content: ContentCache): void;
  /** For what goes into the same commit. */
  readonly stored: IsStored;
}

/** Makes objects of checkpoints. Each builds on the one before, so that only what differs is written. */
export async function sealCheckpoints(
  checkpoints: readonly CheckpointToStore[],
  { live, stored: isStored, seal }: SealCheckpointsParts,
): Promise<SealedCheckpoints> {
  const objects = new Map<ObjectId, StoredObject>();
  const noted: NotedCheckpoint[] = [];
  const trees: SealedTree[] = [];
  const stored: IsStored = async (ids) =>
    new Set([...(await isStored(ids)), ...ids.filter((id) => objects.has(id))]);
  for (const { machine, terminals, ...checkpoint } of checkpoints) {
    const { sealed, memory, ...made } = await seal(machine, { live, terminals, stored });
    // If the commit fails, the next image finds its pages missing, and has them itself.
    memory.settle();
    trees.push(sealed);
    const { takenAtMs, head: parent, cause } = checkpoint;
    const record = encodeSnapshot(runningRecord({ tree: sealed.id, memory: memory.id, parent, takenAtMs }));
    const screens = terminals.map(({ pid, shown }) => ({ pid, shown: lastOf(shown) }));
    const object = encodeCheckpoint({ record: record.id, cause, screens });
    for (const one of [...made.objects, record, object]) objects.set(one.id, one);
    noted.push({ ...checkpoint, object: object.id });
  }
  const settle = (content: ContentCache) => {
    for (const tree of trees) tree.settle(content);
  };
  return { objects: [...objects.values()], noted, settle, stored };
}

/** For a look at it: the last of what a terminal showed, from the beginning of a line. */
function lastOf(shown: Uint8Array): Uint8Array {
  const cut = shown.subarray(Math.max(0, shown.length - historyLimits.screenBytes));
  return cut.length === shown.length ? shown : cut.subarray(cut.indexOf(0x0a) + 1);
}
