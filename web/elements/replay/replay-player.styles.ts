import { type CSSResult, css } from 'lit';

export const replayPlayerStyles: CSSResult = css`
  :host {
    display: flex;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    height: 100%;
    background: var(--cp-ground);
    overflow: hidden;
  }
  header {
    display: flex;
    flex: none;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--cp-space-1) var(--cp-space-3);
    min-height: var(--cp-bar-height);
    padding: var(--cp-space-1) var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
    background: var(--cp-panel);
  }
  h1 {
    max-width: 30em;
    margin: 0;
    font-size: var(--cp-text-size);
    font-weight: 600;
  }
  .facts {
    flex: 1 1 10em;
    min-width: 0;
    font-size: var(--cp-small-size);
  }
  .tools {
    display: flex;
    gap: var(--cp-space-1);
  }
  .notes {
    flex: none;
    max-height: 30%;
    overflow: auto;
  }
  .note {
    display: flex;
    flex-wrap: wrap;
    align-items: center;
    gap: var(--cp-space-1) var(--cp-space-3);
    padding: 2px var(--cp-space-3);
    border-bottom: 1px solid var(--cp-line);
    background: var(--cp-panel);
    color: var(--cp-muted);
    font-size: var(--cp-small-size);
  }
  details.note {
    display: block;
  }
  .note summary {
    cursor: pointer;
  }
  .reading progress {
    width: 10rem;
  }
  .damage {
    border-left: 3px solid var(--cp-warning);
    color: var(--cp-text);
  }
  .middle {
    display: grid;
    align-content: center;
    justify-items: center;
    gap: var(--cp-space-3);
    flex: 1;
    padding: var(--cp-space-4);
    text-align: center;
  }
  .middle p {
    max-width: 34rem;
  }
  .middle h2 {
    font-size: 1rem;
  }
  main {
    display: grid;
    grid-template:
      'steps stage tabs' auto
      'steps stage side' minmax(0, 1fr)
      'bar bar bar' auto / minmax(15rem, 22rem) minmax(0, 1fr) minmax(18rem, 26rem);
    flex: 1;
    min-height: 0;
  }
  main.no-files {
    grid-template:
      'steps stage' minmax(0, 1fr)
      'bar bar' auto / minmax(15rem, 24rem) minmax(0, 1fr);
  }
  .stage {
    display: flex;
    grid-area: stage;
    flex-direction: column;
    min-width: 0;
    min-height: 0;
    border-inline: 1px solid var(--cp-line);
  }
  main.no-files .stage {
    border-right: 0;
  }
  coppice-replay-screen {
    flex: 1;
  }
  .terminals {
    display: flex;
    flex: none;
    gap: 2px;
    padding: 2px var(--cp-space-2);
    border-bottom: 1px solid var(--cp-line);
    background: var(--cp-panel);
    overflow-x: auto;
  }
  .terminals button {
    font-size: var(--cp-small-size);
  }
  coppice-replay-steps {
    grid-area: steps;
  }
  .tabs {
    display: flex;
    grid-area: tabs;
    min-height: var(--cp-bar-height);
    padding-left: var(--cp-space-1);
    border-bottom: 1px solid var(--cp-line);
    background: var(--cp-panel);
  }
  [role='tab'] {
    min-height: 100%;
    border-radius: 0;
    color: var(--cp-muted);
    font-size: var(--cp-small-size);
    font-weight: 600;
  }
  [role='tab'][aria-selected='true'] {
    box-shadow: inset 0 -2px var(--cp-accent);
    color: var(--cp-text);
  }
  coppice-changes,
  coppice-files {
    grid-area: side;
    background: var(--cp-panel);
  }
  .bar {
    grid-area: bar;
    min-width: 0;
    padding: var(--cp-space-1) var(--cp-space-3) var(--cp-space-2);
    border-top: 1px solid var(--cp-line);
    background: var(--cp-panel);
  }
  main[data-side='files'] > coppice-changes,
  main:not([data-side='files']) > coppice-files {
    display: none;
  }
  @media (width >= 70rem) {
    [role='tab'].steps {
      display: none;
    }
  }
  @media (width < 70rem) {
    main,
    main.no-files {
      grid-template:
        'stage tabs' auto
        'stage side' minmax(0, 1fr)
        'bar bar' auto / minmax(0, 1fr) minmax(18rem, 24rem);
    }
    main.no-files {
      grid-template:
        'stage side' minmax(0, 1fr)
        'bar bar' auto / minmax(0, 1fr) minmax(18rem, 24rem);
    }
    .stage {
      border-left: 0;
    }
    coppice-replay-steps {
      grid-area: side;
    }
    main:not([data-side='steps']) > coppice-replay-steps,
    main[data-side='steps'] > coppice-changes {
      display: none;
    }
  }
  @media (width < 44rem) {
    header {
      padding: var(--cp-space-1) var(--cp-space-2);
    }
    h1 {
      flex: 1 1 50%;
    }
    .facts {
      flex: 1 1 100%;
      order: 1;
    }
    coppice-continue {
      order: 2;
    }
    main,
    main.no-files {
      grid-template:
        'stage' minmax(9rem, 42%)
        'bar' auto
        'tabs' auto
        'side' minmax(0, 1fr) / minmax(0, 1fr);
    }
    .stage {
      border-right: 0;
    }
    .tabs {
      border-top: 1px solid var(--cp-line);
    }
  }
`;
