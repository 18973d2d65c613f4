import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { SandboxInfo } from '../../../protocol/sandbox.ts';
import { act } from '../model/actions.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { relativeTime } from '../text/relative-time.ts';
import { dialogStyles } from './dialog.styles.ts';

/** The sandboxes that are stored in this browser: open one, delete one, start a new one. */
export class SandboxList extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    sandboxes: { attribute: false },
    openIds: { attribute: false },
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
      .empty {
        padding: var(--cp-space-3);
      }
    `,
  ];

  declare sandboxes: readonly SandboxInfo[];
  declare openIds: readonly string[];

  constructor() {
    super();
    this.sandboxes = [];
    this.openIds = [];
  }

  open(): void {
    const dialog = this.#dialog();
    if (!dialog.open) dialog.showModal();
  }

  override render(): TemplateResult {
    const newestFirst = [...this.sandboxes].sort((a, b) => b.createdAtMs - a.createdAtMs);
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop}>
      <header>
        <h2 id="title">Sandboxes in this browser</h2>
        <span>
          <button @click=${this.#openFile}>Open a file</button>
          <button class="primary" @click=${this.#create}>New sandbox</button>
          <button class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
        </span>
      </header>
      <ul>
        ${newestFirst.map((sandbox) => this.#renderSandbox(sandbox))}
      </ul>
      ${newestFirst.length === 0 ? html`<p class="empty muted">None yet.</p>` : nothing}
    </dialog>`;
  }

  #renderSandbox(sandbox: SandboxInfo): TemplateResult {
    const name = plainLine(sandbox.name, 60);
    const isOpen = this.openIds.includes(sandbox.id);
    return html`<li>
      <button class="open" @click=${() => this.#open(sandbox.id)}>
        <span class="ellipsis">${name}</span>
        <span class="muted number">
          ${isOpen ? 'open · ' : ''}${plainLine(sandbox.image, 40)} · ${relativeTime(sandbox.createdAtMs, Date.now())}
        </span>
      </button>
      <button aria-label=${`Delete ${name}`} @click=${() => act(this, { type: 'delete-sandbox', sandbox: sandbox.id })}>
        Delete
      </button>
    </li>`;
  }

  #open(sandbox: string): void {
    this.#dialog().close();
    act(this, { type: 'open-sandbox', sandbox });
  }

  #create(): void {
    this.#dialog().close();
    act(this, { type: 'new-sandbox' });
  }

  #openFile(): void {
    this.#dialog().close();
    act(this, { type: 'open-file' });
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
