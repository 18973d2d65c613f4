import type { ExitStatus } from './sandbox/processes.ts';

/** An event of a process, as its machine knows it: what changed on disk is the sandbox's to add. */
export type MachineProcessEvent =
  | { readonly type: 'stdout' | 'stderr'; readonly bytes: Uint8Array }
  /**
   * What it writes to its status descriptor, if it has one: after all that it had written to the others before; with what it
   * did not find since the last one (`ExitStatus.missing`).
   */
  | {
      readonly type: 'status';
      readonly bytes: Uint8Array;
      readonly missing?: readonly string[];
      /** Processor time since its start, where that is known before its end. */
      readonly cpuMs?: number;
    }
  | MachineProcessExit;

/** How a process ended, without what it changed. */
export type MachineProcessExit = { readonly type: 'exit' } & Omit<ExitStatus, 'files' | 'unsaved'>;

/** Called with each event of a process, one at a time. While its promise is pending, further output is held back. */
export type MachineProcessListener = (event: MachineProcessEvent) => void | Promise<void>;

/** Called with output as soon as it arrives, before the listener. Returns the bytes that the listener gets. */
export type OnArrival = (bytes: Uint8Array) => Uint8Array;
