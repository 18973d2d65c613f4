import type { Moment } from '../../protocol/recording.ts';
import type { ObjectId } from '../../tree/content/object-id.ts';
import { momentPrefix } from '../../tree/history/history-refs.ts';
import type { MachineMoment, ShownTerminal } from '../machine/sandbox-machine.ts';

/** A moment of a machine that is to be stored with it. */
export interface MomentToStore extends Moment {
  readonly machine: MachineMoment;
  readonly terminals: readonly ShownTerminal[];
}

/** A moment as it was stored. */
export interface NotedMoment extends Moment {
  /** Its object, which its ref names. */
  readonly object: ObjectId;
}

/** The ref of a moment. */
export function nameOf(id: number): string {
  return momentPrefix + id;
}
