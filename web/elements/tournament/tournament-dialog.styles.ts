import { type CSSResult, css } from 'lit';

export const tournamentDialogStyles: CSSResult = css`
  dialog {
    width: min(44rem, calc(100vw - 1.5rem));
    max-height: calc(100vh - 6rem);
  }
  form,
  section {
    display: grid;
    gap: var(--cp-space-3);
    padding: var(--cp-space-3);
  }
  label {
    display: grid;
    gap: var(--cp-space-1);
  }
  label.check {
    display: flex;
    align-items: center;
    gap: var(--cp-space-2);
  }
  label.check input {
    min-height: 1.5rem;
    width: 1.5rem;
    margin: 0;
    accent-color: var(--cp-accent);
  }
  textarea {
    min-height: 7rem;
    padding: var(--cp-space-2);
    resize: vertical;
  }
  select {
    min-height: var(--cp-control-height);
    border: 1px solid var(--cp-control-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
  }
  .judge {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr));
    gap: var(--cp-space-3);
  }
  .actions {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: flex-end;
    gap: var(--cp-space-2);
  }
  .actions .result {
    flex: 1;
    min-width: 10rem;
  }
  table {
    width: 100%;
    border-collapse: collapse;
  }
  th,
  td {
    padding: var(--cp-space-1) var(--cp-space-2) var(--cp-space-1) 0;
    border-bottom: 1px solid var(--cp-line);
    text-align: start;
    vertical-align: top;
    font-weight: 400;
    white-space: nowrap;
  }
  thead th {
    color: var(--cp-muted);
    font-size: var(--cp-small-size);
  }
  th[scope='row'] {
    width: 100%;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  th.number,
  td.number {
    text-align: end;
  }
  .why {
    display: block;
  }
  tr.won .state {
    color: var(--cp-added);
    font-weight: 600;
  }
  tr.failed .state {
    color: var(--cp-danger);
  }
  tr:is(.waiting, .cancelled) .state {
    color: var(--cp-muted);
  }
  summary {
    display: inline-flex;
    align-items: center;
    min-height: 1.5rem;
    color: var(--cp-muted);
    cursor: pointer;
  }
  pre {
    max-height: 12rem;
    margin: 0;
    overflow: auto;
    white-space: pre-wrap;
  }
`;
