import { type CSSResult, css } from 'lit';

export const gitPanelStyles: CSSResult = css`
  .bar {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--cp-space-1);
    padding: var(--cp-space-1) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
  }
  .bar label {
    display: flex;
    align-items: center;
    gap: var(--cp-space-1);
    min-width: 0;
  }
  select {
    min-width: 0;
    max-width: 12rem;
    min-height: var(--cp-control-height);
    border: 1px solid var(--cp-control-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
  }
  .spring {
    flex: 1;
  }
  .lists {
    flex: 1;
    min-height: 6em;
    overflow: auto;
  }
  .lists.above {
    flex: 0 1 auto;
    max-height: 45%;
  }
  .group {
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: var(--cp-space-1) var(--cp-space-1) 0 var(--cp-space-3);
  }
  h3 {
    margin: 0;
    font-size: var(--cp-small-size);
    font-weight: 600;
  }
  li {
    display: flex;
    align-items: center;
    padding-right: var(--cp-space-1);
  }
  .lists li:hover,
  .lists li:focus-within {
    background: var(--cp-hover);
  }
  .lists li:has([aria-current='true']) {
    background: var(--cp-selected);
  }
  .entry {
    flex: 1;
    justify-content: flex-start;
    gap: var(--cp-space-2);
    min-width: 0;
    min-height: 1.5rem;
    padding: 0 var(--cp-space-3);
  }
  .move,
  .group button {
    min-height: 1.5rem;
    font-size: var(--cp-small-size);
  }
  .sign {
    flex: none;
    width: 1em;
    font: 600 var(--cp-small-size) var(--cp-mono);
    text-align: center;
  }
  .added,
  .untracked {
    color: var(--cp-added);
  }
  .deleted,
  .conflicted {
    color: var(--cp-deleted);
  }
  .modified {
    color: var(--cp-modified);
  }
  .path {
    direction: rtl;
    font: var(--cp-small-size) var(--cp-mono);
    text-align: left;
    unicode-bidi: plaintext;
  }
  .log li {
    display: grid;
    padding: var(--cp-space-1) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
  }
  .log .muted {
    font-size: var(--cp-small-size);
  }
  code {
    font-family: var(--cp-mono);
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
    font-family: var(--cp-mono);
  }
  coppice-diff {
    flex: 1;
    min-height: 6em;
  }
  .form {
    display: grid;
    flex: none;
    gap: var(--cp-space-2);
    padding: var(--cp-space-2) var(--cp-space-3);
    border-top: 1px solid var(--cp-line);
  }
  .form.ask {
    background: var(--cp-raised);
    border-left: 3px solid var(--cp-accent);
  }
  .form label:not(.check) {
    display: grid;
    gap: 2px;
  }
  .check {
    display: flex;
    align-items: center;
    gap: var(--cp-space-2);
  }
  .check input {
    flex: none;
    width: 1.5rem;
    min-height: 1.5rem;
    margin: 0;
    accent-color: var(--cp-accent);
  }
  .row {
    display: flex;
    gap: var(--cp-space-2);
  }
  textarea {
    width: 100%;
    padding: var(--cp-space-1) var(--cp-space-2);
    resize: vertical;
  }
  details label {
    margin-top: var(--cp-space-1);
  }
  summary {
    min-height: 1.5rem;
    cursor: pointer;
  }
  .task {
    display: grid;
    flex: none;
    grid-template-columns: minmax(0, 1fr) auto;
    align-items: center;
    gap: var(--cp-space-1) var(--cp-space-2);
    padding: var(--cp-space-1) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
  }
  progress {
    grid-column: 1 / -1;
    width: 100%;
    height: 4px;
    accent-color: var(--cp-accent);
  }
  .empty {
    padding: var(--cp-space-3);
  }
  .note {
    flex: none;
    margin: 0;
    padding: var(--cp-space-1) var(--cp-space-3);
  }
`;
