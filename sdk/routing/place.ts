import type { CreateOptions, SandboxBackend } from '../../protocol/sandbox/backend.ts';
import type { SnapshotRef } from '../../protocol/sandbox/refs.ts';
import type { Network, RuntimeName } from '../../protocol/sandbox/sandbox-info.ts';
import type { LostShellPart } from '../../protocol/sandbox/shells.ts';

/** A backend that may begin with what a sandbox takes before anybody asks for that, as the tab's does. */
export interface StandbyBackend extends SandboxBackend {
  /** Such as fetching its image, for one that is likely to be asked for. Absent where that would spare nothing. */
  standBy?(ask: Pick<CreateOptions, 'runtime' | 'image'>): Promise<void>;
}

/** Where a routed shell may be: a runtime of a backend. */
export interface Place {
  /** By which it is asked for, and what sentences call it; the runtime's name by default. */
  readonly name?: string;
  /** Stays its owner's. */
  readonly backend: StandbyBackend;
  readonly runtime: RuntimeName;
  /** The backend's usual one by default; for runtimes that have images. */
  readonly image?: string;
  /** Of the machine there; by default what the first command needs, or as usual there. */
  readonly memoryMiB?: number;
  /** Of its disk; by default what the first command needs, or as before. */
  readonly diskMiB?: number;
  /** What a sandbox reaches there; as usual there by default, and `full` where that is needed. */
  readonly network?: Network;
}

export type NamedPlace = Place & { readonly name: string };

/** Where a routed shell is, and why. */
export interface PlaceChoice {
  readonly place: NamedPlace;
  /** One sentence, without a full stop. It may name what a command names: data of the sandbox (H-9). */
  readonly why: string;
  /** The sandbox that it has left for this place, at the snapshot that it goes on from: the way back. */
  readonly left?: SnapshotRef;
  /** Parts of the shell's state that did not come along to this place. */
  readonly lost: readonly LostShellPart[];
}
