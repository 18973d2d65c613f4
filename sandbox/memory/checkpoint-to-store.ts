import type { Checkpoint } from '../../protocol/checkpoint.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { checkpointPrefix } from '../../tree/history/history-refs.ts';
import type { MachineCheckpoint, ShownTerminal } from '../machine/sandbox-machine.ts';

/** A checkpoint of a machine that is to be stored with it. */
export interface CheckpointToStore extends Checkpoint {
  readonly machine: MachineCheckpoint;
  readonly terminals: readonly ShownTerminal[];
}

/** A checkpoint as it was stored. */
export interface NotedCheckpoint extends Checkpoint {
  /** Its object, which its ref names. */
  readonly object: ObjectId;
}

/** The ref of a checkpoint. */
export function nameOf(id: number): string {
  return checkpointPrefix + id;
}
