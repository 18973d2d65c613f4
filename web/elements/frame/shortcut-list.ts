import { type CSSResultGroup, css, html, LitElement, type TemplateResult } from 'lit';
import { dialogStyles } from '../dialog.styles.ts';
import { sharedStyles } from '../shared.styles.ts';

const groups: readonly { readonly title: string; readonly keys: readonly (readonly [string, string])[] }[] = [
  {
    title: 'Anywhere',
    keys: [
      ['Ctrl+K or ⌘K', 'commands (Ctrl+Shift+K inside the terminal)'],
      ['?', 'this list'],
      ['Esc, then Tab', 'leave the terminal; with Shift, backwards'],
    ],
  },
  {
    title: 'New sandbox',
    keys: [
      ['↑ ↓', 'choose what runs it'],
      ['Enter', 'create it'],
    ],
  },
  { title: 'Git', keys: [['Ctrl+Enter', 'commit what is staged']] },
  {
    title: 'History',
    keys: [
      ['↑ ↓', 'newer, older row'],
      ['← →', 'parent, newest child; close, open the steps of a command'],
      ['Enter', 'go back to the snapshot'],
      ['F', 'fork it into a pane beside'],
      ['T', 'tag it'],
      ['M', 'mark it to compare with'],
      ['D', 'compare it with the marked one'],
      ['Delete', 'delete it'],
    ],
  },
  {
    title: 'Timeline',
    keys: [
      ['← →', 'show the earlier, later snapshot or checkpoint'],
      ['Page Up, Page Down', 'ten at a time'],
      ['Home, End', 'the first, now'],
      ['Enter', 'go back to what is shown, as the choice beside Go back says'],
      ['Esc', 'show what runs now'],
    ],
  },
  {
    title: 'Terminal',
    keys: [
      ['Ctrl+Shift+C, Ctrl+Shift+V', 'copy, paste'],
      ['Ctrl+S', 'save, in the file editor'],
    ],
  },
];

/** Every keyboard shortcut of the page. */
export class ShortcutList extends LitElement {
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    dialogStyles,
    css`
      section {
        padding: var(--cp-space-2) var(--cp-space-3);
      }
      h3 {
        margin: 0 0 var(--cp-space-1);
        font-size: var(--cp-small-size);
        font-weight: 600;
        color: var(--cp-muted);
      }
      dl {
        display: grid;
        grid-template-columns: minmax(8rem, auto) 1fr;
        gap: 2px var(--cp-space-3);
      }
    `,
  ];

  open(): void {
    const dialog = this.#dialog();
    if (!dialog.open) dialog.showModal();
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="title" @click=${this.#onBackdrop}>
      <header>
        <h2 id="title">Keyboard shortcuts</h2>
        <button class="icon" aria-label="Close" @click=${() => this.#dialog().close()}>×</button>
      </header>
      ${groups.map(
        (group) => html`<section>
          <h3>${group.title}</h3>
          <dl>
            ${group.keys.map(
              ([keys, meaning]) =>
                html`<dt><kbd>${keys}</kbd></dt>
                  <dd>${meaning}</dd>`,
            )}
          </dl>
        </section>`,
      )}
    </dialog>`;
  }

  #onBackdrop(event: Event): void {
    if (event.target === this.#dialog()) this.#dialog().close();
  }

  #dialog(): HTMLDialogElement {
    return this.renderRoot.querySelector('dialog') as HTMLDialogElement;
  }
}
