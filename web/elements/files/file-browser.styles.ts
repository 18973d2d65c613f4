import { type CSSResult, css } from 'lit';

export const fileBrowserStyles: CSSResult = css`
  :host([dropping]) {
    outline: 2px dashed var(--cp-accent);
    outline-offset: -4px;
  }
  nav {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    padding: var(--cp-space-1) var(--cp-space-2);
    border-bottom: 1px solid var(--cp-line);
  }
  nav button {
    min-width: 1.5rem;
    max-width: 12em;
    padding: 0 var(--cp-space-1);
    font: var(--cp-small-size) var(--cp-mono);
  }
  nav button[aria-current] {
    font-weight: 600;
  }
  .tools {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: 2px;
    padding: 2px var(--cp-space-2);
    border-bottom: 1px solid var(--cp-line);
  }
  .tools .muted {
    margin-left: auto;
    font-size: var(--cp-small-size);
  }
  ul {
    flex: 1;
    min-height: 6em;
    overflow: auto;
  }
  li {
    position: relative;
    display: flex;
    align-items: center;
    min-height: 1.625rem;
    padding-right: var(--cp-space-3);
  }
  li:hover,
  li:focus-within {
    background: var(--cp-hover);
  }
  .entry {
    flex: 1;
    justify-content: flex-start;
    gap: var(--cp-space-2);
    min-width: 0;
    min-height: 1.5rem;
    padding: 0 var(--cp-space-3);
    font: var(--cp-small-size) var(--cp-mono);
  }
  .kind {
    flex: none;
    width: 0.8em;
    color: var(--cp-muted);
  }
  .directory {
    font-weight: 600;
  }
  .size {
    flex: none;
    font-size: 0.6875rem;
  }
  .more {
    position: absolute;
    right: var(--cp-space-1);
    display: flex;
    background: var(--cp-hover);
    opacity: 0;
  }
  li:hover .more,
  li:focus-within .more {
    opacity: 1;
  }
  .more button {
    min-height: 1.5rem;
    padding: 0 var(--cp-space-1);
    font-size: var(--cp-small-size);
  }
  form {
    display: flex;
    flex: 1;
    gap: 2px;
    padding: 2px var(--cp-space-2);
  }
  form input {
    flex: 1;
    min-width: 0;
    font: var(--cp-small-size) var(--cp-mono);
  }
  .empty {
    padding: var(--cp-space-3);
  }
  @media (hover: none) {
    .more {
      position: static;
      background: none;
      opacity: 1;
    }
    .size {
      display: none;
    }
  }
`;
