import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import type { PastOptions } from '../../../protocol/sandbox/recording.ts';
import { hasImage } from '../../../protocol/sandbox/sandbox-info.ts';
import { Archive } from '../../../sdk/archive.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { type FileKind, savePieces } from '../files/save-pieces.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { sharedStyles } from '../shared.styles.ts';
import { describeSnapshot, plainLine } from '../text/describe-snapshot.ts';

const kind: FileKind = {
  description: 'Recording of a session',
  mime: 'application/gzip',
  extension: '.cast.gz',
};

/** Asks from where to where a session is saved as a recording, and what is left out of it. */
export class SessionDialog extends LitElement {
  static override readonly properties: PropertyDeclarations = {};
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    dialogStyles,
    css`
      form {
        display: grid;
        gap: var(--cp-space-3);
        padding: var(--cp-space-3);
      }
      p {
        margin: 0;
      }
      label {
        display: grid;
        grid-template-columns: 4rem minmax(0, 1fr);
        align-items: center;
        gap: var(--cp-space-2);
      }
      label.check {
        grid-template-columns: auto minmax(0, 1fr);
        justify-content: start;
      }
      select,
      label:not(.check) input {
        width: 100%;
        min-height: 2rem;
      }
      .choices {
        display: flex;
        justify-content: flex-end;
        gap: var(--cp-space-2);
      }
    `,
  ];

  #pane: SandboxModel | undefined;
  #snapshots: readonly SnapshotInfo[] = [];

  async open(pane: SandboxModel): Promise<void> {
    this.#pane = pane;
    this.#snapshots = pane.state.history?.snapshots ?? [];
    this.requestUpdate();
    await this.updateComplete;
    if (!this.#dialog().open) this.#dialog().showModal();
  }

  override render(): TemplateResult {
    const info = this.#pane?.state.info;
    const hasMemory = this.#snapshots.some(({ memory }) => memory !== undefined);
    return html`<dialog aria-labelledby="title">
      <header><h2 id="title">Save this session</h2></header>
      <form @submit=${(event: SubmitEvent) => this.#save(event)}>
        <p>
          One file with the commands, and all files at each of its steps: it plays in any browser, and goes on from
          there. Secrets that terminals showed are replaced; those in files are in it.
        </p>
        <label>Title <input name="title" maxlength="256" value=${plainLine(info?.name ?? '', 200)} /></label>
        <label>From ${this.#renderChoice('from', 0)}</label>
        <label>To ${this.#renderChoice('to', this.#snapshots.length - 1)}</label>
        <label class="check"><input type="checkbox" name="terminals" checked /> What terminals and commands showed</label>
        ${hasMemory ? html`<label class="check"><input type="checkbox" name="memory" /> Memory of running programs, which makes it large</label>` : nothing}
        ${info !== undefined && hasImage(info) ? html`<label class="check"><input type="checkbox" name="image" /> All files of its image, for places without it, which makes it large</label>` : nothing}
        <div class="choices">
          <button class="outlined" type="button" @click=${() => this.#dialog().close()}>Cancel</button>
          <button class="primary" type="submit">Save</button>
        </div>
      </form>
    </dialog>`;
  }

  #renderChoice(name: 'from' | 'to', chosen: number): TemplateResult {
    return html`<select name=${name}>
      ${this.#snapshots.map(
        (snapshot, index) =>
          html`<option value=${snapshot.id} ?selected=${index === chosen}>
            ${new Date(snapshot.takenAtMs).toLocaleTimeString()} · ${plainLine(describeSnapshot(snapshot), 60)}
          </option>`,
      )}
    </select>`;
  }

  /** In the click, so that the browser asks where the file goes. */
  #save(event: SubmitEvent): void {
    event.preventDefault();
    const data = new FormData(event.target as HTMLFormElement);
    const text = (name: string) => String(data.get(name) ?? '');
    const options: PastOptions = {
      gzip: true,
      title: text('title'),
      from: text('from') as SnapshotId,
      to: text('to') as SnapshotId,
      terminals: data.has('terminals'),
      memory: data.has('memory'),
      ...(data.has('image') ? { image: true } : {}),
    };
    this.#dialog().close();
    const pane = this.#pane;
    void pane?.attempt('terminal', (connection) =>
      savePieces(text('title') || 'session', {
        kind,
        open: async () => new Archive(await connection.recording.save(options)),
      }),
    );
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
