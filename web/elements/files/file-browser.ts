import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { FileInfo } from '../../../protocol/sandbox/files.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import type { Notices } from '../model/notices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { findSnapshot } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { fileBrowserStyles } from './file-browser.styles.ts';
import { FileDesk } from './file-desk.ts';
import type { FileEditor } from './file-editor.ts';
import { breadcrumbs, joinPath, parentOf, refuseName } from './file-paths.ts';
import { fileRow, nameForm } from './file-row.ts';

/** Rows drawn at first, and with each "show more". */
const entriesPerPage = 400;

type Naming = { readonly type: 'folder' | 'file' } | { readonly type: 'rename'; readonly file: FileInfo };

/** The files of the selected state: read-only in the past, editable now. Fires `path` (a `CustomEvent`) with the file that is shown, or with none. */
export class FileBrowser extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    notices: { attribute: false },
    dropping: { type: Boolean, reflect: true },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, fileBrowserStyles];

  declare model: SandboxModel;
  declare notices: Notices;
  declare dropping: boolean;
  #path = '/home/user';
  #files: readonly FileInfo[] = [];
  #listed = '';
  #naming: Naming | undefined;
  #refusal: string | undefined;
  #open: { readonly path: string; readonly text: string; readonly at: TreeRef } | undefined;
  #drawn = entriesPerPage;
  /** Path of the entry that gets the focus when it is listed. */
  #focusing: string | undefined;

  constructor() {
    super();
    new Watch(this, () => this.model);
    this.addEventListener('dragover', (event) => this.#onDrag(event));
    this.addEventListener('dragleave', () => this.#endDrag());
    this.addEventListener('drop', (event) => this.#onDrop(event));
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('ul button, nav button')?.focus();
  }

  /** Shows a file, in the directory that it is in. */
  async showFile(path: string): Promise<void> {
    this.#enter(parentOf(path));
    const at = this.#at();
    const text = await this.#desk().readText(path, at);
    if (text !== undefined) await this.#edit({ path, text, at });
  }

  override render(): TemplateResult {
    const at = this.#at();
    const fixed = this.#fixed();
    const snapshot = findSnapshot(this.model.state, at);
    return html`
      <nav aria-label="Path">
        ${breadcrumbs(this.#path).map(
          (step) => html`<button
            class="ellipsis"
            aria-current=${step.path === this.#path ? 'location' : nothing}
            @click=${() => this.#enter(step.path)}
          >
            ${step.name}
          </button>`,
        )}
      </nav>
      <div class="tools">
        ${fixed || this.#open !== undefined ? nothing : this.#renderTools()}
        <span class="muted ellipsis">${snapshot === undefined ? 'now' : `as of ${describeSnapshot(snapshot)}`}</span>
      </div>
      <coppice-problem
        .error=${this.model.state.problems.files}
        dismissible
        @dismiss=${() => this.model.dismiss('files')}
      ></coppice-problem>
      ${this.#open === undefined ? this.#renderList() : this.#renderEditor(this.#open)}
    `;
  }

  /** Lists again when the directory, the selected state or the present files change. */
  override updated(): void {
    const { connection, state } = this.model;
    if (connection === undefined || state.history === undefined) return;
    const at = this.#at();
    const moving = at === 'now' ? [state.history.head, state.history.pending] : undefined;
    const wanted = JSON.stringify([state.info?.id, this.#path, at, moving]);
    if (wanted === this.#listed) return;
    this.#listed = wanted;
    void this.#list(wanted);
  }

  #renderTools(): TemplateResult {
    return html`
      <button @click=${() => this.renderRoot.querySelector<HTMLInputElement>('input[type=file]')?.click()}>
        Upload
      </button>
      <button @click=${() => this.#startNaming({ type: 'file' })}>New file</button>
      <button @click=${() => this.#startNaming({ type: 'folder' })}>New folder</button>
      <input type="file" multiple hidden aria-label="Files to upload" @change=${this.#onPicked} />
    `;
  }

  #renderList(): TemplateResult {
    const more = this.#files.length - this.#drawn;
    const naming = this.#naming;
    const renamed = naming?.type === 'rename' ? naming.file.path : undefined;
    return html`<ul aria-label=${`Files in ${this.#path}`}>
      ${naming === undefined || renamed !== undefined ? nothing : html`<li>${this.#renderNaming('')}</li>`}
      ${
        this.#path === '/'
          ? nothing
          : html`<li><button class="entry" @click=${() => this.#enter(parentOf(this.#path))}>..</button></li>`
      }
      ${this.#files.slice(0, this.#drawn).map((file) =>
        file.path === renamed
          ? html`<li>${this.#renderNaming(file.name)}</li>`
          : fileRow(file, {
              fixed: this.#fixed(),
              open: () => this.#openEntry(file),
              download: () => this.#desk().download(file.path, this.#at()),
              rename: () => this.#startNaming({ type: 'rename', file }),
              remove: () => this.#change(this.#desk().remove(file, () => this.#relist())),
            }),
      )}
      ${more > 0 ? html`<li><button @click=${this.#drawMore}>Show ${more} more</button></li>` : nothing}
      ${this.#files.length === 0 ? html`<li class="empty muted">Nothing in here.</li>` : nothing}
    </ul>`;
  }

  #renderNaming(name: string): TemplateResult {
    return nameForm({
      name,
      refusal: this.#refusal,
      submit: (chosen) => this.#finishNaming(chosen),
      cancel: () => this.#cancelNaming(),
    });
  }

  #renderEditor(open: { path: string; text: string; at: TreeRef }): TemplateResult {
    return html`<coppice-editor
      .path=${open.path}
      .text=${open.text}
      .fixed=${open.at !== 'now' || this.#fixed()}
      @save=${(event: CustomEvent<string>) => this.#save(open.path, event.detail)}
      @close=${this.#closeEditor}
    ></coppice-editor>`;
  }

  #at(): TreeRef {
    return this.model.state.selected;
  }

  /** The past is read-only, as is a sandbox that another tab has open. */
  #fixed(): boolean {
    return this.#at() !== 'now' || this.model.state.readOnly;
  }

  #desk(): FileDesk {
    return new FileDesk(this.model, this.notices);
  }

  async #list(wanted: string): Promise<void> {
    const files = await this.#desk().list(this.#path, this.#at());
    if (wanted !== this.#listed) return;
    this.#files = files ?? [];
    this.#drawn = entriesPerPage;
    this.requestUpdate();
    await this.updateComplete;
    if (this.#focusing !== undefined) this.#focusEntry(this.#focusing);
    this.#focusing = undefined;
  }

  #focusEntry(path: string): void {
    this.renderRoot.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
  }

  /** Lists again, and then gives the focus to the entry at `focused`, if there is one. */
  #relist(focused?: string): void {
    this.#listed = '';
    this.#focusing = focused;
    this.requestUpdate();
  }

  #enter(path: string): void {
    this.#path = path;
    this.#open = undefined;
    this.#naming = undefined;
    this.model.dismiss('files');
    this.requestUpdate();
  }

  async #openEntry(file: FileInfo): Promise<void> {
    if (file.type === 'directory') return this.#enter(file.path);
    const at = this.#at();
    const text = await this.#desk().readText(file.path, at);
    if (text === undefined) return;
    await this.#edit({ path: file.path, text, at });
  }

  async #edit(open: { path: string; text: string; at: TreeRef }): Promise<void> {
    this.#open = open;
    this.#tellPath(open.path);
    this.requestUpdate();
    await this.updateComplete;
    const editor = this.renderRoot.querySelector<FileEditor>('coppice-editor');
    await editor?.updateComplete;
    editor?.focus();
  }

  async #save(path: string, text: string): Promise<void> {
    if (!(await this.#desk().saveText(path, text))) return;
    this.#open = { path, text, at: 'now' };
    this.notices.add({ text: `Saved ${path}.`, tone: 'info' });
    this.#relist();
  }

  #closeEditor(): void {
    const path = this.#open?.path;
    this.#open = undefined;
    this.#tellPath(undefined);
    this.#relist(path);
  }

  #tellPath(path: string | undefined): void {
    this.dispatchEvent(new CustomEvent('path', { detail: path }));
  }

  async #change(change: Promise<boolean>, focused?: string): Promise<void> {
    if (await change) this.#relist(focused);
  }

  async #startNaming(naming: Naming | undefined): Promise<void> {
    this.#naming = naming;
    this.#refusal = undefined;
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLInputElement>('form input')?.select();
  }

  /** The focus, which was in the form, goes where that was asked for. */
  async #cancelNaming(): Promise<void> {
    const naming = this.#naming;
    await this.#startNaming(undefined);
    if (naming?.type === 'rename') this.#focusEntry(naming.file.path);
    else this.renderRoot.querySelector<HTMLElement>('.tools button')?.focus();
  }

  async #finishNaming(name: string): Promise<void> {
    const naming = this.#naming;
    if (naming === undefined) return;
    this.#refusal = refuseName(
      name,
      this.#files.map((file) => file.name),
    );
    this.requestUpdate();
    if (this.#refusal !== undefined) return;
    this.#naming = undefined;
    const path = joinPath(this.#path, name);
    const desk = this.#desk();
    if (naming.type === 'rename') await this.#change(desk.rename(naming.file.path, path), path);
    else if (naming.type === 'folder') await this.#change(desk.makeDirectory(path), path);
    else if (await desk.saveText(path, '')) await this.#edit({ path, text: '', at: 'now' });
  }

  async #onPicked(event: Event): Promise<void> {
    const input = event.target as HTMLInputElement;
    const files = [...(input.files ?? [])];
    input.value = '';
    if (files.length > 0) await this.#change(this.#desk().upload(this.#path, files));
  }

  #onDrag(event: DragEvent): void {
    if (this.#fixed() || event.dataTransfer?.types.includes('Files') !== true) return;
    event.preventDefault();
    this.dropping = true;
  }

  #endDrag(): void {
    this.dropping = false;
  }

  #onDrop(event: DragEvent): void {
    this.dropping = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (this.#fixed() || files.length === 0) return;
    event.preventDefault();
    void this.#change(this.#desk().upload(this.#path, files));
  }

  #drawMore(): void {
    this.#drawn += entriesPerPage;
    this.requestUpdate();
  }
}
