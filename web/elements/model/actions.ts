import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { RuntimeName } from '../../../protocol/sandbox/sandbox-info.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { SandboxModel } from './sandbox-model.ts';
import type { Comparing, HistoryFilter } from './sandbox-state.ts';

/** The parts of the page that can be shown and focused. */
export type Region = 'history' | 'terminal' | 'changes' | 'files' | 'git' | 'timeline';

/** Every action of a user, anywhere on the page. It applies to the active pane. */
export type Action =
  | { readonly type: 'checkout' | 'fork' | 'mark' | 'remove'; readonly id: SnapshotId }
  | { readonly type: 'tag'; readonly id: SnapshotId; readonly name: string }
  | { readonly type: 'untag'; readonly name: string }
  /** Opens the field for a tag of the selected snapshot. */
  | { readonly type: 'start-tagging' }
  | { readonly type: 'select'; readonly ref: TreeRef }
  /** Lists the captures that are folded under a row, or folds them again. */
  | { readonly type: 'toggle-steps'; readonly id: SnapshotId }
  | { readonly type: 'search-history'; readonly search: string; readonly filter: HistoryFilter }
  /** Show a checkpoint or a snapshot, or now again; and go back to one, with its programs unless only files are wanted. */
  | {
      readonly type: 'scrub' | 'go-back';
      readonly checkpoint?: number | undefined;
      readonly snapshot?: SnapshotId | undefined;
    }
  | { readonly type: 'choose-files-only'; readonly filesOnly: boolean }
  | { readonly type: 'undo-going-back' | 'dismiss-way-back' }
  | { readonly type: 'compare'; readonly comparing: Comparing; readonly beside?: string | undefined }
  | { readonly type: 'snapshot' | 'new-terminal' | 'collect-garbage' | 'persist' | 'reopen' }
  /** Opens the choice of what runs a new sandbox. */
  | { readonly type: 'choose-sandbox' }
  /** Makes a sandbox in place of the active pane: in this tab, or on the host of a bridge. */
  | {
      readonly type: 'new-sandbox';
      /** What the backend takes by default if absent. */
      readonly runtime?: RuntimeName | undefined;
      readonly bridge?: string | undefined;
      readonly image?: string | undefined;
    }
  | { readonly type: 'fork-busy' | 'fork-running' | 'open-read-only' }
  | { readonly type: 'open-sandbox' | 'delete-sandbox' | 'export-stored'; readonly sandbox: string }
  | { readonly type: 'rename-sandbox'; readonly sandbox: string; readonly name: string }
  | { readonly type: 'activate' | 'close-pane'; readonly pane: SandboxModel }
  | { readonly type: 'export'; readonly ref: TreeRef }
  /** Save a snapshot, or the running machine, as one file; and open such a file. */
  | { readonly type: 'save-file'; readonly id: SnapshotId | undefined }
  | { readonly type: 'open-file' }
  /** Offers the session as a recording. */
  | { readonly type: 'save-session' }
  /** Opens the player of recordings. */
  | { readonly type: 'open-recording' }
  /** Go to the page of demos. */
  | { readonly type: 'open-demos' }
  /** Share a snapshot, or the present files, as a link or a file. */
  | { readonly type: 'share'; readonly id: SnapshotId | undefined }
  | { readonly type: 'focus'; readonly region: Region }
  | { readonly type: 'open-link'; readonly uri: string }
  | { readonly type: 'toggle-theme' | 'toggle-screen-reader' | 'toggle-single-keys' | 'toggle-suggestions' }
  | { readonly type: 'toggle-shell-first' }
  | { readonly type: 'font-size'; readonly deltaPx: number }
  | { readonly type: 'open-palette' | 'open-shortcuts' }
  /** Open the list of hosts; with `bridge`, at the field for a token of that one. */
  | { readonly type: 'open-bridges'; readonly bridge?: string | undefined }
  /** Opens the dialog of a tournament. */
  | { readonly type: 'race-candidates' }
  /** Open the list of sandboxes; with `renaming`, the id of one, at the field for its name. */
  | { readonly type: 'open-sandboxes'; readonly renaming?: string | undefined }
  | {
      readonly type: 'run-on-host';
      readonly bridge?: string | undefined;
      readonly image?: string | undefined;
    }
  | { readonly type: 'run-in-machine' }
  /** Stay in the shell while a machine loads or is ready; load it again after a failure. */
  | { readonly type: 'dismiss-machine' | 'load-machine' }
  | { readonly type: 'bring-back' | 'cancel-move' | 'dismiss-offer' | 'stop-offers' }
  | { readonly type: 'open-on-host' | 'delete-on-host'; readonly sandbox: string; readonly bridge: string };

/** The event that carries an action up to the page. */
export const actionEvent = 'coppice-action';

/** Asks the page that contains `element` to perform `action`. */
export function act(element: EventTarget, action: Action): void {
  element.dispatchEvent(new CustomEvent(actionEvent, { detail: action, bubbles: true, composed: true }));
}
