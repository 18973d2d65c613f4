import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { dialogStyles } from '../dialog.styles.ts';
import { act } from '../model/actions.ts';
import { sharedStyles } from '../shared.styles.ts';
import { type Command, searchCommands } from './commands.ts';

/** A field that finds commands by their words and runs the chosen one (ARIA APG, combobox with a list). */
export class CommandPalette extends LitElement {
  static override readonly properties: PropertyDeclarations = { commands: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    dialogStyles,
    css`
      input {
        position: sticky;
        top: 0;
        width: 100%;
        min-height: 2.5rem;
        padding: 0 var(--cp-space-3);
        border: 0;
        border-bottom: 1px solid var(--cp-line);
        border-radius: 0;
      }
      li {
        display: flex;
        justify-content: space-between;
        padding: var(--cp-space-1) var(--cp-space-3);
        cursor: pointer;
      }
      .none {
        padding: var(--cp-space-2) var(--cp-space-3);
      }
      li[aria-selected='true'] {
        background: var(--cp-selected);
      }
    `,
  ];

  declare commands: readonly Command[];
  #isOpen = false;
  #query = '';
  #chosen = 0;

  constructor() {
    super();
    this.commands = [];
  }

  async open(): Promise<void> {
    this.#isOpen = true;
    this.#query = '';
    this.#chosen = 0;
    this.requestUpdate();
    await this.updateComplete;
    if (!this.#dialog().open) this.#dialog().showModal();
  }

  override render(): TemplateResult {
    const found = this.#isOpen ? searchCommands(this.commands, this.#query) : [];
    const chosen = found[this.#chosen];
    return html`<dialog aria-label="Commands" @click=${this.#onBackdrop} @close=${this.#onClose}>
      <input
        role="combobox"
        aria-label="Command"
        aria-expanded="true"
        aria-controls="found"
        aria-activedescendant=${chosen === undefined ? nothing : `command-${this.#chosen}`}
        placeholder="What to do"
        autocomplete="off"
        autofocus
        .value=${this.#query}
        @input=${this.#onInput}
        @keydown=${this.#onKey}
      />
      <ul id="found" role="listbox" aria-label="Commands">
        ${found.map((command, index) => this.#renderCommand(command, index))}
      </ul>
      ${this.#isOpen && found.length === 0 ? html`<p class="none muted">No command has these words.</p>` : nothing}
      <div class="hidden-text" role="status">${found.length} commands</div>
    </dialog>`;
  }

  override updated(): void {
    this.renderRoot.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }

  #renderCommand(command: Command, index: number): TemplateResult {
    return html`<li
      id=${`command-${index}`}
      role="option"
      aria-selected=${index === this.#chosen}
      @click=${() => this.#run(command)}
    >
      <span>${command.title}</span>
      ${command.keys === undefined ? nothing : html`<kbd>${command.keys}</kbd>`}
    </li>`;
  }

  #onInput(event: InputEvent): void {
    this.#query = (event.target as HTMLInputElement).value;
    this.#chosen = 0;
    this.requestUpdate();
  }

  #onKey(event: KeyboardEvent): void {
    const found = searchCommands(this.commands, this.#query);
    const chosen = found[this.#chosen];
    if (event.key === 'Enter' && chosen !== undefined) this.#run(chosen);
    else if (event.key === 'ArrowDown') this.#chosen = Math.min(found.length - 1, this.#chosen + 1);
    else if (event.key === 'ArrowUp') this.#chosen = Math.max(0, this.#chosen - 1);
    else return;
    event.preventDefault();
    this.requestUpdate();
  }

  /** Closes first: the dialog gives the focus back before the command may move it. */
  #run(command: Command): void {
    this.#dialog().close();
    act(this, command.action);
  }

  #onClose(): void {
    this.#isOpen = false;
    this.requestUpdate();
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
