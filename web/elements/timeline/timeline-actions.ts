import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { act } from '../model/actions.ts';
import { checkpointOfSnapshot, snapshotOfCheckpoint } from '../model/checkpoints-of-snapshots.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { goToStop } from './go-to-stop.ts';
import type { Stop } from './timeline-stops.ts';

/** The actions on the state that the timeline shows: restore it, check out its files, or fork it. */
export class TimelineActions extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    stop: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      [role='toolbar'] {
        display: flex;
        flex-wrap: wrap;
        gap: var(--cp-space-1);
      }
    `,
  ];

  declare model: SandboxModel | undefined;
  declare stop: Stop | undefined;

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override render(): TemplateResult | typeof nothing {
    const { stop, model } = this;
    if (model === undefined || stop === undefined || stop.type === 'now') return nothing;
    const { state } = model;
    const isFrozen = state.phase !== 'ready' && state.phase !== 'failed';
    const isCheckpoint = stop.type === 'checkpoint';
    const checkpoint = isCheckpoint ? stop.checkpoint.id : checkpointOfSnapshot(stop.snapshot, state)?.id;
    const snapshot = isCheckpoint ? snapshotOfCheckpoint(stop.checkpoint, state) : stop.snapshot.id;
    const all = 'Memory, programs and files as they were';
    const files = 'Files as they were; programs start anew';
    return html`<div role="toolbar" aria-label="The state that is shown">
      <button
        class="primary"
        title=${isCheckpoint ? all : files}
        ?disabled=${isFrozen || state.readOnly}
        @click=${() => goToStop(this, stop)}
      >
        Go back
      </button>
      ${
        isCheckpoint && snapshot !== undefined
          ? html`<button
            class="outlined"
            title=${files}
            ?disabled=${isFrozen}
            @click=${() => act(this, { type: 'checkout', id: snapshot })}
          >
            Files only
          </button>`
          : nothing
      }
      ${
        !isCheckpoint && checkpoint !== undefined
          ? html`<button
            class="outlined"
            title=${all}
            ?disabled=${isFrozen || state.readOnly}
            @click=${() => act(this, { type: 'go-to-checkpoint', checkpoint })}
          >
            With running programs
          </button>`
          : nothing
      }
      ${
        snapshot === undefined
          ? nothing
          : html`<button
            class="outlined"
            title="A second sandbox from these files, in a pane beside"
            ?disabled=${isFrozen}
            @click=${() => act(this, { type: 'fork', id: snapshot })}
          >
            Fork here
          </button>`
      }
      <button class="outlined" title="Show what runs now (Esc)" @click=${() => act(this, { type: 'select', ref: 'now' })}>
        Now
      </button>
    </div>`;
  }
}
