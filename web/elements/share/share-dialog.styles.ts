import { type CSSResult, css } from 'lit';

export const shareDialogStyles: CSSResult = css`
  section {
    display: grid;
    gap: var(--cp-space-2);
    padding: var(--cp-space-3);
  }
  section + section {
    border-top: 1px solid var(--cp-line);
  }
  h3 {
    font-size: var(--cp-text-size);
    font-weight: 600;
  }
  .link,
  form,
  .choices {
    display: flex;
    flex-wrap: wrap;
    gap: var(--cp-space-2);
  }
  input {
    flex: 1;
    min-width: 12em;
  }
  progress {
    width: 100%;
    height: 4px;
    accent-color: var(--cp-accent);
  }
`;
