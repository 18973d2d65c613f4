import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxInfo } from '../../../protocol/sandbox/sandbox-info.ts';
import { dialogStyles } from '../dialog.styles.ts';
import { act } from '../model/actions.ts';
import type { Notices } from '../model/notices.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { relativeTime } from '../text/relative-time.ts';

/** The sandboxes that are stored in this browser: open one, delete one, start a new one. */
export class SandboxList extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    sandboxes: { attribute: false },
    openIds: { attribute: false },
    notices: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    dialogStyles,
    css`
      li {
        display: flex;
        align-items: center;
        gap: var(--cp-space-2);
        padding: 2px var(--cp-space-2);
      }
      .open {
        flex: 1;
        justify-content: flex-start;
        min-width: 0;
      }
      .open .muted {
        margin-left: auto;
      }
      form {
        display: flex;
        flex: 1;
        gap: var(--cp-space-2);
      }
      input {
        flex: 1;
        min-width: 6em;
      }
      header span {
        display: flex;
        flex-wrap: wrap;
        gap: var(--cp-space-1);
      }
      .empty {
        padding: var(--cp-space-3);
      }
    `,
  ];

  declare sandboxes: readonly SandboxInfo[];
  declare openIds: readonly string[];
  /** Shown within the dialog too: outside a modal one nothing can be clicked, and a deletion offers its undo there. */
  declare notices: Notices | undefined;
  #renaming: string | undefined;
  #isOpen = false;

  constructor() {
    super();
    this.sandboxes = [];
    this.openIds = [];
  }

  /** With `renaming`, the id of a sandbox, opens the field for its name at once. */
  open({ renaming }: { renaming?: string | undefined } = {}): void {
    const dialog = this.#dialog();
    if (!dialog.open) dialog.showModal();
    this.#noteOpen(true);
    if (renaming !== undefined) void this.#startRenaming(renaming);
  }

  override render(): TemplateResult {
    const newestFirst = [...this.sandboxes].sort((a, b) => b.createdAtMs - a.createdAtMs);
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop} @close=${() => this.#noteOpen(false)}>
      <header>
        <h2 id="title">Sandboxes in this browser</h2>
        <span>
          <button class="outlined" @click=${this.#openFile}>Open a file</button>
          <button class="primary" @click=${this.#create}>New sandbox</button>
          <button class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
        </span>
      </header>
      <ul>
        ${newestFirst.map((sandbox) => this.#renderSandbox(sandbox))}
      </ul>
      ${newestFirst.length === 0 ? html`<p class="empty muted">None yet.</p>` : nothing}
      ${this.#isOpen ? html`<coppice-toasts .notices=${this.notices}></coppice-toasts>` : nothing}
    </dialog>`;
  }

  #renderSandbox(sandbox: SandboxInfo): TemplateResult {
    const name = plainLine(sandbox.name, 60);
    const isOpen = this.openIds.includes(sandbox.id);
    if (this.#renaming === sandbox.id) return this.#renderRenaming(sandbox);
    return html`<li>
      <button class="open" @click=${() => this.#open(sandbox.id)}>
        <span class="ellipsis">${name}</span>
        <span class="muted number">
          ${isOpen ? 'open · ' : ''}${plainLine(sandbox.image, 40) || sandbox.runtime} · ${relativeTime(sandbox.createdAtMs, Date.now())}
        </span>
      </button>
      <button class="outlined" aria-label=${`Rename ${name}`} @click=${() => this.#startRenaming(sandbox.id)}>Rename</button>
      <button class="outlined" aria-label=${`Delete ${name}`} @click=${() => act(this, { type: 'delete-sandbox', sandbox: sandbox.id })}>
        Delete
      </button>
    </li>`;
  }

  #renderRenaming({ id, name }: SandboxInfo): TemplateResult {
    return html`<li>
      <form @submit=${(event: SubmitEvent) => this.#rename(event, id)} @keydown=${this.#onFormKey}>
        <input
          name="name"
          aria-label=${`New name of ${plainLine(name, 60)}`}
          .value=${name}
          maxlength=${limits.sandboxNameCharacters}
          required
          autocomplete="off"
        />
        <button class="primary">Rename</button>
        <button type="button" class="outlined" @click=${this.#stopRenaming}>Cancel</button>
      </form>
    </li>`;
  }

  async #startRenaming(id: string): Promise<void> {
    this.#renaming = id;
    this.requestUpdate();
    await this.updateComplete;
    const field = this.renderRoot.querySelector('input');
    field?.focus();
    field?.select();
  }

  #stopRenaming(): void {
    this.#renaming = undefined;
    this.requestUpdate();
  }

  #rename(event: SubmitEvent, sandbox: string): void {
    event.preventDefault();
    const name = new FormData(event.target as HTMLFormElement).get('name');
    if (typeof name === 'string' && name.trim() !== '')
      act(this, { type: 'rename-sandbox', sandbox, name: name.trim() });
    this.#stopRenaming();
  }

  /** Escape discards the new name, and leaves the list open. */
  #onFormKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape') return;
    event.preventDefault();
    this.#stopRenaming();
  }

  #open(sandbox: string): void {
    this.#dialog().close();
    act(this, { type: 'open-sandbox', sandbox });
  }

  #create(): void {
    this.#dialog().close();
    act(this, { type: 'choose-sandbox' });
  }

  #openFile(): void {
    this.#dialog().close();
    act(this, { type: 'open-file' });
  }

  #noteOpen(isOpen: boolean): void {
    this.#isOpen = isOpen;
    this.requestUpdate();
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
