import { type CSSResult, css } from 'lit';

export const diffViewStyles: CSSResult = css`
  :host {
    display: block;
    overflow: auto;
    background: var(--cp-ground);
  }
  .note {
    padding: var(--cp-space-3);
    color: var(--cp-muted);
  }
  table {
    min-width: 100%;
    border-collapse: collapse;
    font: var(--cp-small-size) / 1.5 var(--cp-mono);
    tab-size: 4;
  }
  td {
    padding: 0;
    vertical-align: top;
  }
  td.number {
    min-width: 2.6em;
    padding: 0 var(--cp-space-1);
    border-right: 1px solid var(--cp-line);
    color: var(--cp-muted);
    text-align: right;
    user-select: none;
  }
  td.sign {
    min-width: 1.6em;
    text-align: center;
    user-select: none;
  }
  td.text {
    width: 100%;
    padding-right: var(--cp-space-3);
    white-space: pre;
  }
  tr.added {
    background: var(--cp-added-ground);
  }
  tr.added .sign {
    color: var(--cp-added);
  }
  tr.deleted {
    background: var(--cp-deleted-ground);
  }
  tr.deleted .sign {
    color: var(--cp-deleted);
  }
  tr.skipped td {
    padding: 2px var(--cp-space-3);
    border-block: 1px solid var(--cp-line);
    background: var(--cp-panel);
    color: var(--cp-muted);
    font-family: var(--cp-sans);
  }
`;
