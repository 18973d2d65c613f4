import { type CSSResult, css } from 'lit';

export const timelineBarStyles: CSSResult = css`
  :host {
    display: block;
    min-width: 0;
    padding: 0 var(--cp-space-2);
    border-top: 1px solid var(--cp-line);
    background: var(--cp-panel);
  }
  .line {
    display: flex;
    align-items: center;
    gap: var(--cp-space-1);
    min-height: var(--cp-control-height);
    padding-top: var(--cp-space-1);
  }
  .label {
    flex: 1;
    min-width: 0;
    padding-left: var(--cp-space-1);
    font-size: var(--cp-small-size);
  }
  [role='slider'] {
    position: relative;
    height: 44px;
    margin: var(--cp-space-1) 0;
    cursor: pointer;
    touch-action: none;
  }
  svg {
    display: block;
    width: 100%;
    height: 28px;
    overflow: visible;
  }
  .name {
    position: absolute;
    top: 29px;
    font-size: 0.6875rem;
    line-height: 15px;
    pointer-events: none;
  }
  .time {
    color: var(--cp-muted);
  }
  path {
    stroke: var(--cp-mark);
    stroke-width: var(--mark-width);
    vector-effect: non-scaling-stroke;
  }
  path.live {
    stroke: var(--cp-accent);
  }
  path.selected,
  path.hovered {
    stroke: var(--cp-text);
  }
  path.checkpoint {
    stroke-width: 1;
  }
  path.selected.checkpoint {
    stroke: var(--cp-accent);
    stroke-width: 3;
  }
  path.ground {
    stroke: var(--cp-line);
    stroke-width: 1;
  }
  @media (width < 44rem) {
    :host {
      padding-bottom: 0;
    }
    .line {
      flex-wrap: wrap;
    }
    .label {
      flex-basis: calc(100% - 6rem);
    }
  }
`;
