import type { ErrorData } from '../../../protocol/errors.ts';

/** Work on its way from a pane to another place, as its pane shows it. */
export interface MoveState {
  readonly direction: 'to-host' | 'back';
  /** The host at the other end. */
  readonly host: string;
  /** Of the new sandbox that only the files of the home go to; absent when everything goes, to the same image. */
  readonly image?: string | undefined;
  /** `saving` and `opening` have no bytes to count. `failed`: `error` says why, and nothing has changed. */
  readonly stage: 'connecting' | 'saving' | 'moving' | 'opening' | 'failed';
  readonly movedBytes: number;
  /** What the changed files hold: about what moves. 0 where it is not known. */
  readonly expectedBytes: number;
  readonly error: ErrorData | undefined;
}

/** A remark that a command would do better elsewhere. */
export interface RuntimeOffer {
  /** The command as it was typed. */
  readonly command: string;
  /** What it needs that this place has not, in words. */
  readonly reasons: readonly string[];
  /** The image of a host that has what this one's has not, and the address of that host's bridge. */
  readonly other?: { readonly image: string; readonly bridge: string; readonly host: string } | undefined;
}
