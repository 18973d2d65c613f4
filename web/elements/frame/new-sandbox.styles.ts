import { type CSSResult, css } from 'lit';

export const newSandboxStyles: CSSResult = css`
  fieldset {
    margin: 0;
    padding: var(--cp-space-1) 0;
    border: 0;
  }
  .choice {
    display: grid;
    grid-template-columns: auto 1fr;
    gap: 0 var(--cp-space-2);
    padding: var(--cp-space-2) var(--cp-space-3);
    cursor: pointer;
  }
  .choice:hover:not(.off) {
    background: var(--cp-hover);
  }
  .choice:has(input:checked) {
    background: var(--cp-selected);
  }
  .choice.off {
    cursor: default;
  }
  .choice.off :is(strong, .about) {
    color: var(--cp-muted);
  }
  .choice input {
    grid-row: 1 / 3;
    align-self: center;
    width: 1.5rem;
    height: 1.5rem;
    min-height: 0;
    margin: 0;
    border-radius: 50%;
    accent-color: var(--cp-accent);
  }
  .about {
    text-wrap: pretty;
  }
  .why {
    display: block;
    color: var(--cp-warning);
  }
  footer {
    position: sticky;
    bottom: 0;
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    justify-content: space-between;
    gap: var(--cp-space-2);
    padding: var(--cp-space-2) var(--cp-space-3);
    border-top: 1px solid var(--cp-line);
    background: var(--cp-raised);
  }
  select {
    max-width: 16rem;
    min-height: var(--cp-control-height);
    border: 1px solid var(--cp-control-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
  }
`;
