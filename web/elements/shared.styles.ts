import { type CSSResult, css } from 'lit';

/** What every element starts from: box model, focus ring, buttons, fields. */
export const sharedStyles: CSSResult = css`
  *,
  *::before,
  *::after {
    box-sizing: border-box;
  }
  :host {
    color: var(--cp-text);
    font: var(--cp-text-size) / 1.45 var(--cp-sans);
  }
  :host([hidden]),
  [hidden] {
    display: none !important;
  }
  h2,
  h3,
  p,
  ul,
  ol,
  dl,
  dd {
    margin: 0;
    padding: 0;
  }
  ul,
  ol {
    list-style: none;
  }
  h2 {
    font-size: var(--cp-small-size);
    font-weight: 600;
  }
  :focus-visible {
    outline: 2px solid var(--cp-accent);
    outline-offset: -2px;
  }
  button,
  input,
  textarea,
  select {
    font: inherit;
    color: inherit;
  }
  button {
    display: inline-flex;
    align-items: center;
    justify-content: center;
    gap: var(--cp-space-1);
    min-height: var(--cp-control-height);
    padding: 0 var(--cp-space-2);
    border: 1px solid transparent;
    border-radius: var(--cp-radius);
    background: none;
    white-space: nowrap;
    cursor: pointer;
  }
  button:hover:not(:disabled) {
    background: var(--cp-hover);
  }
  button:disabled {
    color: var(--cp-muted);
    cursor: default;
  }
  button.outlined {
    border-color: var(--cp-control-line);
  }
  button.primary {
    background: var(--cp-accent);
    color: var(--cp-on-accent);
  }
  button.primary:hover:not(:disabled) {
    background: color-mix(in oklab, var(--cp-accent), var(--cp-text) 14%);
  }
  button.icon {
    min-width: var(--cp-control-height);
    padding: 0;
  }
  button.primary:disabled {
    background: var(--cp-hover);
    color: var(--cp-muted);
  }
  button[aria-pressed='true'],
  button[aria-expanded='true'] {
    background: var(--cp-selected);
  }
  input,
  textarea {
    min-height: var(--cp-control-height);
    padding: 0 var(--cp-space-2);
    border: 1px solid var(--cp-control-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
  }
  kbd {
    padding: 0 var(--cp-space-1);
    border: 1px solid var(--cp-line);
    border-radius: 3px;
    font: var(--cp-small-size) var(--cp-sans);
    color: var(--cp-muted);
  }
  .mono {
    font-family: var(--cp-mono);
  }
  .muted {
    color: var(--cp-muted);
  }
  .number {
    font-variant-numeric: tabular-nums;
  }
  .ellipsis {
    overflow: hidden;
    text-overflow: ellipsis;
    white-space: nowrap;
  }
  .hidden-text {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  @media (pointer: coarse) {
    /* A finger needs 40 px, however dense a list is for a mouse. */
    button,
    summary,
    input,
    [role='option'],
    [role='tab'] {
      min-height: 2.5rem !important;
    }
    button {
      min-width: 2.5rem !important;
    }
    [role='option'] {
      align-items: center;
    }
  }
`;

/** A panel that fills its column: a header that stays and a body that scrolls. */
export const panelStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
  }
  header {
    display: flex;
    flex: none;
    align-items: center;
    gap: var(--cp-space-1);
    min-height: var(--cp-bar-height);
    padding: 0 var(--cp-space-2) 0 var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
  }
  header h2 {
    flex: 1;
    min-width: 0;
  }
`;
