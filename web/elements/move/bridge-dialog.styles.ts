import { type CSSResult, css } from 'lit';

export const bridgeDialogStyles: CSSResult = css`
  section,
  form {
    padding: var(--cp-space-2) var(--cp-space-3);
  }
  section + section,
  form {
    border-top: 1px solid var(--cp-line);
  }
  h3 {
    margin: 0;
    font-size: var(--cp-text-size);
    overflow-wrap: anywhere;
  }
  code {
    font-family: var(--cp-mono);
    overflow-wrap: anywhere;
  }
  .row {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--cp-space-2);
  }
  .row > h3,
  .row > .name {
    flex: 1;
    min-width: 8rem;
  }
  .state::before {
    content: '';
    display: inline-block;
    width: 7px;
    height: 7px;
    margin-right: 6px;
    border-radius: 50%;
    box-shadow: inset 0 0 0 1.5px var(--cp-accent);
  }
  .state.connected::before {
    background: var(--cp-accent);
  }
  .state.unreachable::before,
  .state.refused::before {
    background: var(--cp-danger);
    box-shadow: none;
  }
  .remedy {
    color: var(--cp-danger);
  }
  li {
    padding: 2px 0 2px var(--cp-space-3);
  }
  form {
    display: grid;
    gap: var(--cp-space-2);
  }
  select {
    min-height: var(--cp-control-height);
    max-width: 24rem;
    border: 1px solid var(--cp-control-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
  }
  label:not(.check) {
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
`;
