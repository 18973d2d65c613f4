import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import { writeSnapshotFile } from '../../../sdk/snapshot-file.ts';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { act } from '../model/actions.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { findSnapshot } from '../model/sandbox-state.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine, summarizeCoverage } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { parseSharedUrl } from './fetch-shared-file.ts';
import { shareDialogStyles } from './share-dialog.styles.ts';
import { linkToSnapshotFile, linkWithSnapshot } from './share-link.ts';

type Made =
  | { readonly type: 'making' }
  | { readonly type: 'failed'; readonly error: ErrorData }
  /** Absent if the snapshot is too large for a link. */
  | { readonly type: 'made'; readonly snapshot: SnapshotId; readonly link: string | undefined };

/** Makes a link of a snapshot, or says how to share it as a file. Nothing leaves the browser by itself. */
export class ShareDialog extends LitElement {
  static override readonly properties: PropertyDeclarations = {};
  static override readonly styles: CSSResultGroup = [sharedStyles, dialogStyles, shareDialogStyles];

  #pane: SandboxModel | undefined;
  #made: Made = { type: 'making' };
  #fileLink: string | undefined;
  #copied: string | undefined;

  /** Shows it for a snapshot of `pane`; without one, for its present files. */
  async open(pane: SandboxModel, id: SnapshotId | undefined): Promise<void> {
    this.#pane = pane;
    this.#show({ type: 'making' });
    this.#fileLink = undefined;
    await this.updateComplete;
    if (!this.#dialog().open) this.#dialog().showModal();
    try {
      this.#show(await makeLink(pane, id));
    } catch (error) {
      this.#show({ type: 'failed', error: SandboxError.from(error).toData() });
    }
  }

  override render(): TemplateResult {
    const name = plainLine(this.#pane?.state.info?.name ?? '', 60);
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop}>
      <header>
        <h2 id="title">Share “${name}”</h2>
        <button class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
      </header>
      ${this.#renderMade(this.#made)}
      <p class="hidden-text" role="status">${this.#copied === undefined ? '' : 'Copied.'}</p>
    </dialog>`;
  }

  #renderMade(made: Made): TemplateResult {
    if (made.type === 'making') return html`<section><p role="status">Making a link …</p></section>`;
    if (made.type === 'failed')
      return html`<section><coppice-problem .error=${made.error}></coppice-problem></section>`;
    const snapshot = this.#pane && findSnapshot(this.#pane.state, made.snapshot);
    return html`
      <section aria-label="A link">
        <h3>A link</h3>
        ${
          made.link === undefined
            ? html`<p>
                This snapshot is too large for a link, which holds ${formatBytes(limits.sharedLinkCharacters)}. Share it as
                a file.
              </p>`
            : html`<p>
                  Opens ${snapshot === undefined ? 'it' : `it (${summarizeCoverage(snapshot.coverage)})`} as a new sandbox
                  in any browser. All of it is in the link, ${formatBytes(made.link.length)}: nothing is uploaded.
                </p>
                ${this.#renderLink(made.link, 'Link with the snapshot')}`
        }
      </section>
      <section aria-label="A file">
        <h3>A file</h3>
        <p>
          Save it, put it on a web server that lets other sites read it (CORS), and share a link to it. Or hand the file on:
          <em>Open a snapshot from a file</em> opens it.
        </p>
        <form @submit=${this.#linkFile}>
          <button type="button" class="outlined" @click=${() => this.#save(made.snapshot)}>Save as a file</button>
          <input name="url" type="url" aria-label="Where the file is" placeholder="https://example.org/hello.coppice" required />
          <button class="outlined">Make a link</button>
        </form>
        ${this.#fileLink === undefined ? nothing : this.#renderLink(this.#fileLink, 'Link to the file')}
      </section>
      <section>
        <p class="muted">Whoever has the link or the file can read every file that this sandbox has changed, secrets too.</p>
      </section>
    `;
  }

  #renderLink(link: string, label: string): TemplateResult {
    return html`<div class="link">
      <input
        readonly
        aria-label=${label}
        .value=${link}
        @focus=${(event: FocusEvent) => (event.target as HTMLInputElement).select()}
      />
      <button class="primary" @click=${() => this.#copy(link)}>
        ${this.#copied === link ? 'Copied' : 'Copy link'}
      </button>
    </div>`;
  }

  async #copy(link: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(link);
      this.#copied = link;
    } catch {
      // If the page may not write to the clipboard, the link stays selected, for the user to copy.
      this.renderRoot.querySelector<HTMLInputElement>('input[readonly]')?.focus();
    }
    this.requestUpdate();
  }

  #linkFile(event: SubmitEvent): void {
    event.preventDefault();
    const field = (event.target as HTMLFormElement).elements.namedItem('url') as HTMLInputElement;
    field.setCustomValidity('');
    try {
      this.#fileLink = linkToSnapshotFile(location.href, parseSharedUrl(field.value, location.href).href);
    } catch (error) {
      field.setCustomValidity(SandboxError.from(error).message);
      field.reportValidity();
      field.addEventListener('input', () => field.setCustomValidity(''), { once: true });
    }
    this.requestUpdate();
  }

  #save(id: SnapshotId): void {
    this.#dialog().close();
    act(this, { type: 'save-file', id });
  }

  #show(made: Made): void {
    this.#made = made;
    this.#copied = undefined;
    this.requestUpdate();
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}

async function makeLink(pane: SandboxModel, id: SnapshotId | undefined): Promise<Made> {
  const { connection, state } = pane;
  if (connection === undefined || state.info === undefined)
    throw new SandboxError('connection-lost', 'Cannot share the sandbox: it is not open');
  const snapshot = id ?? (await connection.history.createSnapshot({ label: 'shared', ifChanged: true })).id;
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let sizeBytes = 0;
  for await (const piece of writeSnapshotFile(connection, { info: state.info, snapshot })) {
    sizeBytes += piece.length;
    if (sizeBytes > limits.sharedLinkUnpackedBytes) return { type: 'made', snapshot, link: undefined };
    pieces.push(new Uint8Array(piece));
  }
  const file = new Uint8Array(await new Blob(pieces).arrayBuffer());
  return { type: 'made', snapshot, link: await linkWithSnapshot(location.href, file) };
}
