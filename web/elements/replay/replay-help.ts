import { type CSSResultGroup, css, html, LitElement, type TemplateResult } from 'lit';
import { dialogStyles } from '../dialog.styles.ts';
import { sharedStyles } from '../shared.styles.ts';
import { replayKeys } from './replay-keys.ts';

/** The keys of the player. */
export class ReplayHelp extends LitElement {
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    dialogStyles,
    css`
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 1fr);
        gap: var(--cp-space-1) var(--cp-space-4);
        padding: var(--cp-space-3);
      }
    `,
  ];

  open(): void {
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  override render(): TemplateResult {
    const close = (): void => this.renderRoot.querySelector('dialog')?.close();
    return html`<dialog aria-labelledby="title" @click=${(event: Event) => event.target === event.currentTarget && close()}>
      <header>
        <h2 id="title">Keys</h2>
        <button class="icon" aria-label="Close" @click=${close}>×</button>
      </header>
      <dl>
        ${replayKeys.map(
          ([keys, what]) => html`<dt><kbd>${keys}</kbd></dt>
            <dd>${what}</dd>`,
        )}
      </dl>
    </dialog>`;
  }
}
