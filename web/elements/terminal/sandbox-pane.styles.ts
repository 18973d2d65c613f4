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
  :host {
    container-type: inline-size;
  }
  [role='tablist'] {
    display: flex;
    /* The name of the pane tells forks apart: tabs give way first. */
    flex: 0 99 auto;
    align-self: stretch;
    min-width: 3.5em;
    overflow: auto hidden;
    scrollbar-width: none;
  }
  [role='tab'] {
    flex: 0 1 auto;
    min-width: 3.5em;
    max-width: 14em;
    min-height: 100%;
    border-radius: 0;
    color: var(--cp-muted);
  }
  [role='tab'][aria-selected='true'] {
    box-shadow: inset 0 -2px var(--cp-accent);
    color: var(--cp-text);
  }
  header .icon {
    flex: none;
  }
  .close {
    flex: none;
    margin-left: auto;
  }
  @container (width < 26rem) {
    .wide {
      display: none;
    }
  }
  .elsewhere {
    display: grid;
    gap: var(--cp-space-2);
    padding: var(--cp-space-4);
  }
  .elsewhere h2 {
    font-size: 1rem;
  }
  .elsewhere ul {
    display: grid;
    gap: var(--cp-space-2);
  }
  .elsewhere li {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: 0 var(--cp-space-2);
  }
  .elsewhere button {
    min-width: 10.5rem;
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
