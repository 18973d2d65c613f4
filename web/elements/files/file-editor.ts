import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** A text file to read or edit. Fires `save` (a `CustomEvent<string>` with the text) and `close`. */
export class FileEditor extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    path: {},
    text: {},
    fixed: { type: Boolean },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        flex: 1;
        flex-direction: column;
        min-height: 0;
      }
      .bar {
        display: flex;
        flex: none;
        align-items: center;
        gap: var(--cp-space-1);
        padding: var(--cp-space-1) var(--cp-space-2) var(--cp-space-1) var(--cp-space-3);
        border-bottom: 1px solid var(--cp-line);
      }
      h3 {
        flex: 1;
        font: 600 var(--cp-small-size) var(--cp-mono);
      }
      textarea {
        flex: 1;
        min-height: 8em;
        padding: var(--cp-space-2) var(--cp-space-3);
        border: 0;
        border-radius: 0;
        background: var(--cp-ground);
        font: var(--cp-small-size) / 1.5 var(--cp-mono);
        resize: none;
        tab-size: 4;
        white-space: pre;
      }
    `,
  ];

  declare path: string;
  declare text: string;
  /** Whether the text can only be read. */
  declare fixed: boolean;
  #edited = false;

  /** Whether there are changes that `save` was not fired for. */
  get edited(): boolean {
    return this.#edited;
  }

  override willUpdate(changed: Map<PropertyKey, unknown>): void {
    if (changed.has('text') || changed.has('path')) this.#edited = false;
  }

  override focus(): void {
    this.#field()?.focus();
  }

  override render(): TemplateResult {
    return html`
      <div class="bar">
        <h3 class="ellipsis">${plainLine(this.path.slice(this.path.lastIndexOf('/') + 1))}${this.#edited ? ' •' : ''}</h3>
        ${
          this.fixed
            ? html`<span class="muted">read only</span>`
            : html`<button class="primary" ?disabled=${!this.#edited} title="Ctrl+S" @click=${this.#save}>Save</button>`
        }
        <button @click=${this.#close}>${this.#edited ? 'Discard' : 'Close'}</button>
      </div>
      <textarea
        aria-label=${`Text of ${plainLine(this.path)}`}
        spellcheck="false"
        autocapitalize="off"
        wrap="off"
        ?readonly=${this.fixed}
        .value=${this.text}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
      ></textarea>
    `;
  }

  #onInput(): void {
    this.#edited = true;
    this.requestUpdate();
  }

  #onKey(event: KeyboardEvent): void {
    if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (this.#edited) this.#save();
  }

  #save(): void {
    const text = this.#field()?.value ?? this.text;
    this.dispatchEvent(new CustomEvent('save', { detail: text }));
  }

  #close(): void {
    this.dispatchEvent(new Event('close'));
  }

  #field(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }
}
