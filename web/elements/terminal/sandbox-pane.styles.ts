import { type CSSResult, css } from 'lit';

export const sandboxPaneStyles: CSSResult = css`
  :host {
    background: var(--cp-term-ground);
  }
  header {
    gap: 0;
    padding-left: var(--cp-space-1);
    background: var(--cp-panel);
  }
  .name {
    flex: 0 1 auto;
    min-width: 3em;
    margin: 0 var(--cp-space-2);
  }
  :host([active]) .name {
    color: var(--cp-accent);
  }
  [role='tablist'] {
    display: flex;
    flex: 1;
    align-self: stretch;
    min-width: 7em;
    overflow: auto hidden;
    scrollbar-width: none;
  }
  [role='tab'] {
    max-width: 14em;
    min-height: 100%;
    border-radius: 0;
    color: var(--cp-muted);
  }
  [role='tab'][aria-selected='true'] {
    box-shadow: inset 0 -2px var(--cp-accent);
    color: var(--cp-text);
  }
  .close {
    align-self: center;
  }
  .banner {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--cp-space-2);
    padding: var(--cp-space-1) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
    background: var(--cp-panel);
  }
  coppice-terminal {
    flex: 1;
  }
`;
