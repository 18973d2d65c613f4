import { type CSSResult, css } from 'lit';

export const terminalViewStyles: CSSResult = css`
  :host {
    position: relative;
    display: flex;
    flex: 1;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    background: var(--cp-term-ground);
  }
  .screen {
    flex: 1;
    min-width: 0;
    min-height: 0;
    margin: var(--cp-space-2) 0 var(--cp-space-1) var(--cp-space-3);
    overflow: hidden;
  }
  .preview {
    position: absolute;
    z-index: 1;
    inset: 0;
    padding: var(--cp-space-2) 0 var(--cp-space-1) var(--cp-space-3);
    border: 2px dashed var(--cp-accent);
    background: var(--cp-term-ground);
    overflow: hidden;
  }
  .preview[hidden] {
    display: none;
  }
  .screen:focus-within {
    outline: none;
  }
  :host(:focus-within)::before {
    content: '';
    position: absolute;
    inset: 0 0 auto;
    height: 2px;
    background: var(--cp-accent);
  }
  .xterm {
    height: 100%;
  }
  .xterm .xterm-viewport {
    background-color: transparent;
  }
  .ended {
    display: flex;
    flex: none;
    align-items: center;
    gap: var(--cp-space-3);
    padding: var(--cp-space-1) var(--cp-space-3);
    border-top: 1px solid var(--cp-line);
    background: var(--cp-panel);
  }
`;
