import { html, type TemplateResult } from 'lit';
import { plainLine } from '../text/describe-snapshot.ts';
import type { ReplayModel } from './replay-model.ts';

/** What is beside the terminal. */
export type Side = 'steps' | 'changes' | 'files';
const sides: Readonly<Record<Side, string>> = { steps: 'Steps', changes: 'Changes', files: 'Files' };

/** Tabs for what is beside the terminal. */
export function renderSides(
  chosen: Side,
  {
    choose,
    onKey,
  }: { readonly choose: (side: Side) => void; readonly onKey: (event: KeyboardEvent) => void },
): TemplateResult {
  return html`<div class="tabs" role="tablist" aria-label="Beside the terminal" @keydown=${onKey}>
    ${Object.entries(sides).map(
      ([side, name]) => html`<button
        role="tab"
        class=${side}
        aria-selected=${side === chosen}
        tabindex=${side === chosen ? 0 : -1}
        @click=${() => choose(side as Side)}
      >
        ${name}
      </button>`,
    )}
  </div>`;
}

/** The tab that an arrow key leads to. */
export function sideOfKey(side: Side, { key }: Pick<KeyboardEvent, 'key'>): Side | undefined {
  const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0;
  const names = Object.keys(sides) as Side[];
  return by === 0 ? undefined : names[(names.indexOf(side) + by + names.length) % names.length];
}

/** Buttons for the terminals of a session. */
export function renderTerminals(model: ReplayModel): TemplateResult {
  const { session, terminal } = model.state;
  return html`<div class="terminals" role="group" aria-label="Terminals">
    ${session.terminals.map(
      ({ terminal: number, title }, index) => html`<button
        aria-pressed=${number === terminal}
        title=${plainLine(title, 200)}
        @click=${() => model.showTerminal(number)}
      >
        ${index + 1}<span class="ellipsis">${plainLine(title, 24)}</span>
      </button>`,
    )}
  </div>`;
}
