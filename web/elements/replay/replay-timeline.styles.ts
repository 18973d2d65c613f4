import { type CSSResult, css } from 'lit';

export const replayTimelineStyles: CSSResult = css`
  :host {
    position: relative;
    display: block;
    min-width: 0;
    --at: 0;
    --hovered: 0;
  }
  [role='slider'] {
    position: relative;
    height: 3rem;
    cursor: pointer;
    touch-action: none;
  }
  [role='slider']::before {
    position: absolute;
    inset: auto 0 6px;
    height: 4px;
    border-radius: 2px;
    background: var(--cp-line);
    content: '';
  }
  svg {
    position: absolute;
    inset: auto 0 12px;
    display: block;
    width: 100%;
    height: 24px;
    overflow: visible;
  }
  path {
    stroke-width: 2;
    vector-effect: non-scaling-stroke;
  }
  .snapshots {
    stroke: var(--cp-accent);
  }
  .commands {
    stroke: var(--cp-mark);
  }
  .failures {
    stroke: var(--cp-danger);
  }
  .done {
    position: absolute;
    bottom: 6px;
    left: 0;
    width: calc(var(--at) * 100%);
    height: 4px;
    border-radius: 2px;
    background: var(--cp-accent);
  }
  .chapter {
    position: absolute;
    inset-block: 0 2px;
    padding-left: 4px;
    border-left: 1px solid var(--cp-control-line);
    color: var(--cp-muted);
    font-size: 0.6875rem;
    line-height: 1.2;
    pointer-events: none;
  }
  .cursor {
    position: absolute;
    inset-block: 0 2px;
    left: calc(var(--at) * 100% - 1px);
    width: 2px;
    background: var(--cp-text);
  }
  .cursor::after {
    position: absolute;
    bottom: 0;
    left: -5px;
    width: 12px;
    height: 12px;
    border-radius: 50%;
    background: var(--cp-text);
    content: '';
  }
  .picture {
    --width: 15rem;
    position: absolute;
    bottom: calc(100% + var(--cp-space-1));
    left: clamp(0px, calc(var(--hovered) * 100% - var(--width) / 2), calc(100% - var(--width)));
    z-index: 4;
    width: var(--width);
    border: 1px solid var(--cp-control-line);
    border-radius: var(--cp-radius);
    background: var(--cp-raised);
    box-shadow: var(--cp-shadow);
    overflow: hidden;
    pointer-events: none;
  }
  .frame {
    min-height: 5rem;
    background: var(--cp-term-ground);
    overflow: hidden;
  }
  .picture p {
    padding: 2px var(--cp-space-2);
    border-top: 1px solid var(--cp-line);
    font-size: var(--cp-small-size);
  }
`;
