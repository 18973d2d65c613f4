import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { ErrorData } from '../../../protocol/errors.ts';
import { sharedStyles } from '../shared.styles.ts';
import { adviseOn, type ErrorAdvice } from '../text/describe-error.ts';
import { plainLine } from '../text/describe-snapshot.ts';

/** An error, shown where it happened: what failed, what was lost, what to do. Buttons go into its slot. */
export class ProblemNote extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    error: { attribute: false },
    advice: { attribute: false },
    dismissible: { type: Boolean },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: block;
      }
      [role='alert'] {
        display: grid;
        gap: var(--cp-space-1);
        padding: var(--cp-space-2) var(--cp-space-3);
        border-left: 3px solid var(--cp-danger);
        background: var(--cp-deleted-ground);
        overflow-wrap: anywhere;
      }
      .offers {
        display: flex;
        flex-wrap: wrap;
        gap: var(--cp-space-2);
        margin-top: var(--cp-space-1);
      }
    `,
  ];

  declare error: ErrorData | undefined;
  /** What was lost and what helps, if the error itself does not say. */
  declare advice: ErrorAdvice | undefined;
  declare dismissible: boolean;

  constructor() {
    super();
    this.dismissible = false;
  }

  override render(): TemplateResult | typeof nothing {
    if (this.error === undefined) return nothing;
    const { lost, advice } = this.advice ?? adviseOn(this.error);
    return html`<div role="alert">
      <strong>${plainLine(this.error.message, 400)}</strong>
      <span>${lost} ${advice}</span>
      <div class="offers">
        <slot></slot>
        ${this.dismissible ? html`<button class="outlined" @click=${this.#dismiss}>Dismiss</button>` : nothing}
      </div>
    </div>`;
  }

  #dismiss(): void {
    this.dispatchEvent(new Event('dismiss'));
  }
}
