import type { ErrorData } from '../../../protocol/errors.ts';

/** The state of a move from a pane to another backend, as the pane shows it. */
export interface MoveState {
  readonly direction: 'to-host' | 'to-machine' | 'back';
  /** The host at the other end, or what the machine of this tab is called. */
  readonly host: string;
  /**
   * The image of the new sandbox, which gets only the files of the home; absent if everything moves, to the same
   * image.
   */
  readonly image?: string | undefined;
  /** `saving` and `opening` have no bytes to count. `failed`: `error` says why, and nothing has changed. */
  readonly stage: 'connecting' | 'saving' | 'moving' | 'opening' | 'failed';
  readonly movedBytes: number;
  /** Bytes of the changed files: roughly what has to be sent. 0 if unknown. */
  readonly expectedBytes: number;
  readonly error: ErrorData | undefined;
}

/** A suggestion to run a command on a host. */
export interface RuntimeOffer {
  /** The command as it was typed. */
  readonly command: string;
  /** What it needs and this tab lacks, in words. */
  readonly reasons: readonly string[];
  /** Whether a machine in this tab may run it. */
  readonly inMachine?: boolean;
  /** Whether a host may, in a sandbox of the same image. */
  readonly onHost?: boolean;
  /** Whether the git panel does it instead of another runtime. */
  readonly isForGit?: boolean;
  /** An image of a host that has what this sandbox's image lacks, and the address of that host's bridge. */
  readonly other?: { readonly image: string; readonly bridge: string; readonly host: string } | undefined;
}
