import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { Notices, ShownNotice } from '../model/notices.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** The notices, in a corner; their timers pause while the pointer or the focus is on one. */
export class ToastList extends LitElement {
  static override readonly properties: PropertyDeclarations = { notices: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        position: fixed;
        /* Beside the right column: what is done there has its buttons at the bottom. */
        right: calc(var(--right, 0px) + var(--cp-space-3));
        bottom: 8.5rem;
        z-index: 5;
        width: min(26rem, calc(100vw - 1.5rem));
      }
      /* The column is a drawer over the page, or not there. */
      @media (width < 70rem) {
        :host {
          top: 3.5rem;
          right: var(--cp-space-3);
          bottom: auto;
        }
      }
      /* Above the row of keys for fingers. */
      @media (pointer: coarse) and (width >= 70rem) {
        :host {
          bottom: 12.5rem;
        }
      }
      ol {
        display: grid;
        gap: var(--cp-space-2);
      }
      li {
        display: flex;
        align-items: center;
        gap: var(--cp-space-2);
        padding: var(--cp-space-2) var(--cp-space-2) var(--cp-space-2) var(--cp-space-3);
        border: 1px solid var(--cp-line);
        border-left: 3px solid var(--cp-accent);
        border-radius: var(--cp-radius);
        background: var(--cp-raised);
        box-shadow: var(--cp-shadow);
      }
      li.error {
        border-left-color: var(--cp-danger);
      }
      span {
        flex: 1;
        min-width: 0;
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare notices: Notices | undefined;

  constructor() {
    super();
    new Watch(this, () => this.notices);
    this.addEventListener('pointerenter', () => this.notices?.hold(true));
    this.addEventListener('pointerleave', () => this.notices?.hold(false));
    this.addEventListener('focusin', () => this.notices?.hold(true));
    this.addEventListener('focusout', () => this.notices?.hold(false));
  }

  override render(): TemplateResult {
    return html`<div role="log" aria-live="polite" aria-label="Notices"><ol>
      ${repeat(
        this.notices?.shown ?? [],
        (notice) => notice.key,
        (notice) => this.#renderNotice(notice),
      )}
    </ol></div>`;
  }

  #renderNotice(notice: ShownNotice): TemplateResult {
    const { key, action, tone, text } = notice;
    return html`<li class=${tone}>
      <span>${plainLine(text, 400)}</span>
      ${
        action === undefined
          ? nothing
          : html`<button class="outlined" @click=${() => this.#take(() => this.notices?.act(key))}>
            ${action.label}
          </button>`
      }
      <button class="icon" aria-label="Dismiss" @click=${() => this.#take(() => this.notices?.dismiss(key))}>×</button>
    </li>`;
  }

  /** A button that disappears under the pointer sends no leave event: resume the timers. */
  #take(end: () => void): void {
    end();
    this.notices?.hold(false);
  }
}
