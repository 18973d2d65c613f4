import { type CSSResult, css } from 'lit';

/** A sheet over the page that Escape or a click beside it closes. */
export const dialogStyles: CSSResult = css`
  :host {
    display: contents;
  }
  dialog {
    width: min(34rem, calc(100vw - 1.5rem));
    max-height: min(32rem, calc(100vh - 6rem));
    margin: 4rem auto auto;
    padding: 0;
    border: 1px solid var(--cp-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
    color: var(--cp-text);
    box-shadow: var(--cp-shadow);
    overflow: auto;
  }
  dialog::backdrop {
    background: rgb(0 0 0 / 22%);
  }
  dialog header {
    position: sticky;
    top: 0;
    display: flex;
    align-items: center;
    justify-content: space-between;
    padding: var(--cp-space-2) var(--cp-space-2) var(--cp-space-2) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
    background: var(--cp-raised);
  }
`;
