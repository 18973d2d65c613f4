import { type CSSResult, css } from 'lit';

export const historyTreeStyles: CSSResult = css`
  .scroller {
    flex: 1;
    min-height: 0;
    overflow: hidden auto;
    overscroll-behavior: contain;
  }
  [role='tree'] {
    position: relative;
  }
  .hint {
    padding: var(--cp-space-2) var(--cp-space-3);
    text-wrap: pretty;
  }
  .hint a {
    display: inline-block;
    line-height: 24px;
  }
  [role='toolbar'] {
    flex: none;
    padding: var(--cp-space-1) var(--cp-space-2);
    border-top: 1px solid var(--cp-line);
  }
  [role='treeitem'] {
    position: absolute;
    inset-inline: 0;
    display: flex;
    height: 40px;
    padding-right: var(--cp-space-2);
    cursor: default;
    user-select: none;
  }
  [role='treeitem']:hover {
    background: var(--cp-hover);
  }
  [role='treeitem'][aria-selected='true'] {
    background: var(--cp-selected);
  }
  [role='treeitem']:focus {
    outline: 2px solid var(--cp-accent);
    outline-offset: -2px;
  }
  .way-back {
    display: flex;
    flex: none;
    align-items: center;
    gap: var(--cp-space-1);
    padding: var(--cp-space-1) var(--cp-space-2) var(--cp-space-1) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
    font-size: var(--cp-small-size);
  }
  .way-back span {
    flex: 1;
  }
  button.steps {
    flex: none;
    min-width: 1.5rem;
    min-height: 0;
    margin: -2px -4px -2px -6px;
    padding: 2px;
    line-height: 1;
  }
  svg {
    flex: none;
    margin-right: var(--cp-space-2);
    overflow: visible;
  }
  .edge {
    fill: none;
    stroke: var(--cp-mark);
    stroke-width: 1.5;
  }
  .edge.live {
    stroke: var(--cp-accent);
    stroke-width: 2;
  }
  .node {
    fill: var(--cp-panel);
    stroke: var(--cp-mark);
    stroke-width: 1.75;
  }
  .node.live {
    stroke: var(--cp-accent);
  }
  .node.filled {
    fill: var(--cp-accent);
  }
  .body {
    flex: 1;
    min-width: 0;
    padding-top: 4px;
    line-height: 1.25;
  }
  .first,
  .second {
    display: flex;
    align-items: baseline;
    gap: var(--cp-space-2);
  }
  .title {
    flex: 0 1 auto;
    min-width: 0;
  }
  .title.mono {
    font-size: var(--cp-small-size);
  }
  .off .title {
    color: var(--cp-muted);
  }
  time {
    flex: none;
    margin-left: auto;
  }
  .second,
  time {
    font-size: 0.6875rem;
    color: var(--cp-muted);
  }
  .tag {
    max-width: 14em;
    padding: 0 5px;
    border: 1px solid var(--cp-accent);
    border-radius: 3px;
    color: var(--cp-text);
  }
  .created {
    color: var(--cp-added);
  }
  .modified {
    color: var(--cp-modified);
  }
  .deleted {
    color: var(--cp-deleted);
  }
  .marked {
    color: var(--cp-accent);
    font-weight: 600;
  }
`;
