import type { MachineUsage } from '../../../../protocol/sandbox-report.ts';
import type { JailLimits } from '../../../contract.ts';

/** The control groups of one jail. Owns their folders; what is inside must be dead before they can go. */
export interface ControlGroups extends AsyncDisposable {
  /** The files into which a process with one thread writes "0" to join. */
  readonly joins: readonly string[];
  /** Stops every process where it is, or lets it go on. @throws timeout, internal */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
  /** Processes that the kernel has killed for lack of memory. */
  outOfMemoryKills(): number;
  /** What its processes have used so far; what the kernel does not tell is absent. */
  usage(): MachineUsage;
  /** How many threads of processes there are inside, zombies included; 0 when that is not known. */
  threadCount(): number;
  /** Ids of the processes inside. */
  processes(): Promise<readonly number[]>;
}

/** Makes control groups of one kind, where this host lets us. */
export interface ControlGroupMaker {
  readonly version: 1 | 2;
  /** A group named `name` with these limits. @throws already-exists, internal */
  make(name: string, limits: JailLimits): Promise<ControlGroups>;
  /** Names of the groups that there are, ours or not. */
  list(): Promise<readonly string[]>;
  /** A group that an earlier process has made. */
  open(name: string): ControlGroups;
}
