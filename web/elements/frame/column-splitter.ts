import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { sharedStyles } from '../shared.styles.ts';

const stepPx = 16;

/** The line between two columns: drag it, or move it with the arrow keys. Fires `resize` (`CustomEvent<number>`, px). */
export class ColumnSplitter extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    label: {},
    valuePx: { type: Number },
    minPx: { type: Number },
    maxPx: { type: Number },
    reverse: { type: Boolean },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        position: relative;
        z-index: 1;
        width: 1px;
        background: var(--cp-line);
      }
      [role='separator'] {
        position: absolute;
        inset: 0 -4px;
        cursor: col-resize;
        touch-action: none;
      }
      [role='separator']:hover,
      [role='separator']:active {
        border-inline: 3px solid transparent;
        background: var(--cp-accent) padding-box;
      }
    `,
  ];

  declare label: string;
  declare valuePx: number;
  declare minPx: number;
  declare maxPx: number;
  /** Whether the column that is sized lies to the right. */
  declare reverse: boolean;
  #drag: { readonly x: number; readonly valuePx: number } | undefined;

  override render(): TemplateResult {
    return html`<div
      role="separator"
      tabindex="0"
      aria-orientation="vertical"
      aria-label=${this.label}
      aria-valuenow=${this.valuePx}
      aria-valuemin=${this.minPx}
      aria-valuemax=${this.maxPx}
      @pointerdown=${this.#onDown}
      @pointermove=${this.#onMove}
      @pointerup=${this.#onUp}
      @pointercancel=${this.#onUp}
      @keydown=${this.#onKey}
    ></div>`;
  }

  #onDown(event: PointerEvent): void {
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#drag = { x: event.clientX, valuePx: this.valuePx };
  }

  #onMove(event: PointerEvent): void {
    if (this.#drag === undefined) return;
    const moved = event.clientX - this.#drag.x;
    this.#set(this.#drag.valuePx + (this.reverse ? -moved : moved));
  }

  #onUp(): void {
    this.#drag = undefined;
  }

  #onKey(event: KeyboardEvent): void {
    const direction = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (direction === 0) return;
    event.preventDefault();
    this.#set(this.valuePx + direction * stepPx * (this.reverse ? -1 : 1));
  }

  #set(valuePx: number): void {
    const detail = Math.min(this.maxPx, Math.max(this.minPx, valuePx));
    this.dispatchEvent(new CustomEvent('resize', { detail }));
  }
}
