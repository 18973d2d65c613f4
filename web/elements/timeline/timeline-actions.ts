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
import { waysBack } from '../model/checkpoints-of-snapshots.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { goToStop, stateOf } from './go-to-stop.ts';
import type { Stop } from './timeline-stops.ts';

/** The actions on the state that the timeline shows: go back to it, with programs or to its files only, or fork it. */
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
    const { files, programs } = waysBack(stateOf(stop), state);
    const filesOnly = programs === undefined || (state.filesOnly && files !== undefined);
    const isOnly = programs === undefined || files === undefined;
    return html`<div role="toolbar" aria-label="The state that is shown">
      <button class="primary" ?disabled=${isFrozen || state.readOnly} @click=${() => goToStop(this, stop)}>
        Go back
      </button>
      <select
        aria-label="What goes back"
        title=${filesOnly ? 'Files as they were; programs start anew' : 'Memory, programs and files as they were'}
        ?disabled=${isOnly || isFrozen || state.readOnly}
        @change=${({ target }: Event) =>
          act(this, {
            type: 'choose-files-only',
            filesOnly: (target as HTMLSelectElement).value === 'files',
          })}
      >
        <option value="all" .selected=${!filesOnly}>with programs</option>
        <option value="files" .selected=${filesOnly}>files only</option>
      </select>
      ${
        files === undefined
          ? nothing
          : html`<button
            class="outlined"
            title="A second sandbox from these files, in a pane beside"
            ?disabled=${isFrozen}
            @click=${() => act(this, { type: 'fork', id: files })}
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
