import type { Terminal } from '@xterm/xterm';
import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { sharedStyles } from '../shared.styles.ts';

const arrows = { '←': 'D', '↓': 'B', '↑': 'A', '→': 'C' } as const;
const keys = { Esc: '\x1b', Tab: '\t', '|': '|', '/': '/', '-': '-' } as const;
const names: { readonly [label: string]: string } = { '←': 'Left', '↓': 'Down', '↑': 'Up', '→': 'Right' };

/** The keys that a touch keyboard lacks, below the terminal; shown only where a finger points. */
export class TouchKeys extends LitElement {
  static override readonly properties: PropertyDeclarations = { terminal: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: none;
        flex: none;
        border-top: 1px solid var(--cp-line);
        background: var(--cp-panel);
        overflow: auto hidden;
        scrollbar-width: none;
      }
      @media (pointer: coarse) {
        :host {
          display: flex;
        }
      }
      button {
        flex: 1;
        font-family: var(--cp-mono);
      }
    `,
  ];

  declare terminal: Terminal | undefined;
  #control = false;

  /** What was typed, as a control character when Ctrl was tapped before it. */
  withControl(text: string): string {
    if (!this.#control || !/^[a-z[\\\]^_@ ]$/i.test(text)) return text;
    this.#control = false;
    this.requestUpdate();
    return String.fromCharCode(text.toUpperCase().charCodeAt(0) & 0x1f);
  }

  override render(): TemplateResult {
    return html`
      <button aria-pressed=${this.#control} @pointerdown=${keepFocus} @click=${this.#toggleControl}>Ctrl</button>
      ${[...Object.keys(keys), ...Object.keys(arrows)].map(
        (label) => html`<button
          aria-label=${names[label] ?? label}
          @pointerdown=${keepFocus}
          @click=${() => this.#press(label)}
        >
          ${label}
        </button>`,
      )}
    `;
  }

  #press(label: string): void {
    if (label in keys) this.terminal?.input(keys[label as keyof typeof keys]);
    else this.terminal?.input(this.#arrow(arrows[label as keyof typeof arrows]));
  }

  /** Full-screen programs ask for other codes (DECCKM). */
  #arrow(letter: string): string {
    return `\x1b${this.terminal?.modes.applicationCursorKeysMode === true ? 'O' : '['}${letter}`;
  }

  #toggleControl(): void {
    this.#control = !this.#control;
    this.requestUpdate();
  }
}

/** The touch keyboard closes when the terminal loses the focus. */
function keepFocus(event: PointerEvent): void {
  event.preventDefault();
}
