import type { Socket } from 'node:net';

/** The parent of a jail's PID 1, as far as its bridge has to do with it. */
export interface JailLauncher {
  /** Its id here. */
  readonly pid: number;
  /** What it says of a failure, until nothing of the jail is left; none of one that an earlier bridge has started. */
  readonly errors: Socket | undefined;
  /** Resolves when it has ended, and with it PID 1. */
  readonly ended: Promise<LauncherEnd>;
  /**
   * Has it send a signal to a process of its jail, in the order of the calls. One of an earlier bridge's does, whose
   * jail this process may have no power over.
   */
  readonly signal?: (pid: number, signal: number) => void;
  /** Ends the jail, and then itself. */
  end(): void;
  /** Lets go of it, as if this process had died. */
  leave(): void;
}

export interface LauncherEnd {
  /** PID 1's, as of a shell; `undefined` when the launcher was killed or never ran. */
  readonly code: number | undefined;
}
