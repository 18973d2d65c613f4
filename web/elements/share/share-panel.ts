import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';
import { ReceivedDialog } from './received-dialog.ts';
import { SessionDialog } from './session-dialog.ts';
import { ShareDialog } from './share-dialog.ts';
import type { SharedSnapshot } from './share-link.ts';

/** The page's code for sharing snapshots, all loaded on first use. */
export class SharePanel {
  readonly #workspace: Workspace;
  readonly #share: ShareDialog;
  readonly #received: ReceivedDialog;
  readonly #session: SessionDialog;

  /** Adds its dialogs to `root`, from where their actions bubble up to the page. */
  constructor(root: ParentNode & Node, workspace: Workspace) {
    this.#workspace = workspace;
    this.#share = create('coppice-share', ShareDialog);
    this.#received = create('coppice-received', ReceivedDialog);
    this.#session = create('coppice-save-session', SessionDialog);
    root.append(this.#share, this.#received, this.#session);
  }

  /** Offers a snapshot of `pane`, or its present files, as a link or a file. */
  share(pane: SandboxModel, id: SnapshotId | undefined): void {
    void this.#share.open(pane, id);
  }

  /** Offers the session of `pane` as a recording. */
  saveSession(pane: SandboxModel): void {
    void this.#session.open(pane);
  }

  /** Asks whether to open a shared snapshot, and opens it in a pane. Calls `onDecided` before the pane opens. */
  async receive(shared: SharedSnapshot, onDecided: () => void): Promise<void> {
    const opened = await this.#received.ask(shared, this.#workspace);
    onDecided();
    if (opened === undefined) return;
    if (this.#workspace.isFull) await this.#workspace.replace(opened.id);
    else await this.#workspace.openBeside(opened.id, {});
  }
}

function create<T extends HTMLElement>(name: string, Dialog: new () => T): T {
  if (customElements.get(name) === undefined) customElements.define(name, Dialog);
  return new Dialog();
}
