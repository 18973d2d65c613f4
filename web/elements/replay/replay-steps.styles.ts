import { type CSSResult, css } from 'lit';

export const replayStepsStyles: CSSResult = css`
  :host {
    /* Its many rows are not laid out anew when something beside them changes. */
    contain: layout style;
    background: var(--cp-panel);
  }
  form {
    display: flex;
    flex: none;
    padding: var(--cp-space-1) var(--cp-space-2);
    border-bottom: 1px solid var(--cp-line);
  }
  input {
    flex: 1;
    min-width: 0;
  }
  .kinds {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    gap: 2px;
    padding: 2px var(--cp-space-2);
    border-bottom: 1px solid var(--cp-line);
  }
  .kinds button {
    font-size: var(--cp-small-size);
  }
  .count {
    flex: none;
    padding: var(--cp-space-1) var(--cp-space-3);
    font-size: var(--cp-small-size);
  }
  ol {
    position: relative;
    flex: 1;
    min-height: 6em;
    overflow: auto;
  }
  .go {
    display: flex;
    align-items: baseline;
    justify-content: flex-start;
    gap: var(--cp-space-2);
    width: 100%;
    min-height: 1.75rem;
    padding: 2px var(--cp-space-3);
    border-radius: 0;
    text-align: left;
    white-space: normal;
  }
  [aria-current] {
    background: var(--cp-selected);
    box-shadow: inset 3px 0 var(--cp-accent);
  }
  .sign {
    flex: none;
    width: 1em;
    color: var(--cp-muted);
    font: var(--cp-small-size) var(--cp-mono);
    text-align: center;
  }
  .text {
    flex: 1;
    min-width: 0;
    overflow-wrap: anywhere;
  }
  .command .text,
  .call .text,
  .found {
    font: var(--cp-small-size) / 1.45 var(--cp-mono);
  }
  .message {
    border-block: 1px solid var(--cp-line);
  }
  .said {
    display: block;
    max-height: 14em;
    white-space: pre-wrap;
    overflow: hidden;
  }
  .message .text strong {
    display: block;
    font-size: var(--cp-small-size);
  }
  .thinking .text {
    color: var(--cp-muted);
    font-style: italic;
  }
  .chapter .text {
    font-weight: 600;
  }
  .snapshot .go {
    color: var(--cp-muted);
    font-size: var(--cp-small-size);
  }
  .snapshot .sign {
    color: var(--cp-accent);
  }
  .at,
  .outcome,
  .where {
    flex: none;
    font-size: 0.6875rem;
  }
  .failed {
    color: var(--cp-danger);
    font-weight: 600;
  }
  .whole {
    max-height: 24em;
    margin: 0;
    padding: var(--cp-space-2) var(--cp-space-3) var(--cp-space-2) 2.25rem;
    font: var(--cp-small-size) / 1.5 var(--cp-mono);
    white-space: pre-wrap;
    overflow: auto;
    overflow-wrap: anywhere;
  }
  .open {
    min-height: 1.5rem;
    margin-left: 1.75rem;
    color: var(--cp-muted);
    font-size: var(--cp-small-size);
  }
  mark {
    background: var(--cp-added-ground);
    color: var(--cp-added);
    font-weight: 600;
  }
  .empty {
    padding: var(--cp-space-3);
  }
`;
