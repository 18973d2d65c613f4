import { type CSSResult, css } from 'lit';

export const coppiceAppStyles: CSSResult = css`
  :host {
    display: grid;
    grid-template-rows: auto minmax(0, 1fr) auto auto;
    grid-template-columns: minmax(0, 1fr);
    height: 100dvh;
    background: var(--cp-ground);
    overflow: hidden;
  }
  main {
    position: relative;
    display: grid;
    grid-template-columns: var(--left) 1px minmax(0, 1fr) 1px var(--right);
    min-height: 0;
  }
  coppice-history,
  .side {
    background: var(--cp-panel);
  }
  .panes {
    display: flex;
    min-width: 0;
    min-height: 0;
  }
  coppice-pane {
    flex: 1;
    min-width: 0;
  }
  coppice-pane + coppice-pane {
    border-left: 1px solid var(--cp-line);
  }
  .side {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
  }
  .side [role='tablist'] {
    display: flex;
    flex: none;
    min-height: var(--cp-bar-height);
    padding-left: var(--cp-space-1);
    border-bottom: 1px solid var(--cp-line);
  }
  .side [role='tab'] {
    min-height: 100%;
    border-radius: 0;
    color: var(--cp-muted);
    font-size: var(--cp-small-size);
    font-weight: 600;
  }
  .side [role='tab'][aria-selected='true'] {
    box-shadow: inset 0 -2px var(--cp-accent);
    color: var(--cp-text);
  }
  .side > coppice-changes,
  .side > coppice-files,
  .side > coppice-git {
    flex: 1;
  }
  .skip {
    position: fixed;
    top: -4rem;
    left: var(--cp-space-2);
    z-index: 9;
    background: var(--cp-raised);
  }
  .skip:focus {
    top: var(--cp-space-1);
  }
  .scrim {
    display: none;
  }
  @media (width < 70rem) {
    main {
      grid-template-columns: var(--left) 1px minmax(0, 1fr);
    }
    .side,
    .right-splitter {
      display: none;
    }
  }
  @media (width < 44rem) {
    main {
      grid-template-columns: minmax(0, 1fr);
    }
    coppice-history,
    .left-splitter {
      display: none;
    }
    .panes {
      flex-direction: column;
    }
    coppice-pane + coppice-pane {
      border-top: 1px solid var(--cp-line);
      border-left: 0;
    }
  }
  main[data-drawer='history'] > coppice-history,
  main[data-drawer='changes'] > .side {
    position: absolute;
    inset-block: 0;
    z-index: 3;
    display: flex;
    width: min(24rem, 100vw - 2.5rem);
    box-shadow: var(--cp-shadow);
  }
  main[data-drawer='history'] > coppice-history {
    left: 0;
  }
  main[data-drawer='changes'] > .side {
    right: 0;
  }
  main[data-drawer] > .scrim {
    position: absolute;
    inset: 0;
    z-index: 2;
    display: block;
    border: 0;
    border-radius: 0;
    background: rgb(0 0 0 / 22%);
  }
`;
