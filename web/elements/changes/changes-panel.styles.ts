import { type CSSResult, css } from 'lit';

export const changesPanelStyles: CSSResult = css`
  .compared {
    flex: none;
    padding: var(--cp-space-2) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
  }
  .summary {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: var(--cp-space-1);
    min-height: var(--cp-control-height);
    margin-bottom: var(--cp-space-1);
  }
  .compared dl {
    display: grid;
    grid-template-columns: auto minmax(0, 1fr);
    gap: 0 var(--cp-space-2);
    font-size: var(--cp-small-size);
  }
  .segments {
    display: flex;
    flex-wrap: wrap;
    gap: 2px;
    min-width: 0;
  }
  .segments button {
    max-width: 16em;
    font-size: var(--cp-small-size);
  }
  summary {
    cursor: pointer;
  }
  .files {
    flex: 0 1 auto;
    max-height: 45%;
    min-height: 3em;
    overflow: auto;
  }
  .files.alone {
    flex: 1;
    max-height: none;
  }
  .files button {
    display: flex;
    justify-content: flex-start;
    gap: var(--cp-space-2);
    width: 100%;
    min-height: 1.5rem;
    padding: 0 var(--cp-space-3);
    border-radius: 0;
  }
  .files button[aria-current='true'] {
    background: var(--cp-selected);
  }
  .sign {
    flex: none;
    width: 1em;
    font: 600 var(--cp-small-size) var(--cp-mono);
    text-align: center;
  }
  .created {
    color: var(--cp-added);
  }
  .deleted {
    color: var(--cp-deleted);
  }
  .modified,
  .renamed,
  .metadata {
    color: var(--cp-modified);
  }
  .path {
    direction: rtl;
    font: var(--cp-small-size) var(--cp-mono);
    text-align: left;
    unicode-bidi: plaintext;
  }
  .size {
    flex: none;
    margin-left: auto;
    font-size: 0.6875rem;
  }
  .empty {
    padding: var(--cp-space-3);
  }
  .file-title {
    display: flex;
    flex: none;
    align-items: center;
    gap: var(--cp-space-2);
    padding: var(--cp-space-1) var(--cp-space-2) var(--cp-space-1) var(--cp-space-3);
    border-block: 1px solid var(--cp-line);
  }
  .file-title h3 {
    flex: 1;
    min-width: 0;
    font: 600 var(--cp-small-size) var(--cp-mono);
  }
  coppice-diff {
    flex: 1;
    min-height: 6em;
  }
`;
