import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { act } from '../model/actions.ts';
import type { HistoryFilter, SandboxState } from '../model/sandbox-state.ts';
import { sharedStyles } from '../shared.styles.ts';

/**
 * The field that searches the history, and which kind of snapshots it lists. Fires `down` to move the focus to the
 * list.
 */
export class HistorySearch extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    state: { attribute: false },
    found: { type: Number },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      search {
        display: flex;
        gap: var(--cp-space-1);
        padding: var(--cp-space-1) var(--cp-space-2);
        border-bottom: 1px solid var(--cp-line);
      }
      input {
        flex: 1;
        min-width: 0;
      }
      select {
        border: 1px solid var(--cp-control-line);
        border-radius: var(--cp-radius);
        background: var(--cp-raised);
      }
      @media (pointer: coarse) {
        input,
        select {
          min-height: 2.5rem;
        }
      }
    `,
  ];

  declare state: SandboxState;
  /** How many snapshots are listed. */
  declare found: number;

  override focus(): void {
    this.renderRoot.querySelector('input')?.focus();
  }

  override render(): TemplateResult {
    const { search, filter } = this.state;
    const isFiltered = search.trim() !== '' || filter !== 'all';
    return html`<search>
      <input
        type="search"
        aria-label="Search the history"
        placeholder="Search the history"
        title="By commands, files and tags"
        autocomplete="off"
        spellcheck="false"
        .value=${search}
        @input=${(event: InputEvent) => this.#ask((event.target as HTMLInputElement).value, filter)}
        @keydown=${this.#onKey}
      />
      <select
        aria-label="Which snapshots"
        .value=${filter}
        @change=${(event: Event) => this.#ask(search, (event.target as HTMLSelectElement).value as HistoryFilter)}
      >
        <option value="all">all</option>
        <option value="tagged">tagged</option>
        <option value="by-hand">by hand</option>
      </select>
      <span class="hidden-text" role="status">${isFiltered ? `${this.found} found` : ''}</span>
    </search>`;
  }

  #ask(search: string, filter: HistoryFilter): void {
    act(this, { type: 'search-history', search, filter });
  }

  /** Down moves to the results, Escape lists everything again. */
  #onKey(event: KeyboardEvent): void {
    if (event.key === 'Escape') this.#ask('', 'all');
    else if (event.key === 'ArrowDown') this.dispatchEvent(new Event('down'));
    else return;
    event.preventDefault();
  }
}
