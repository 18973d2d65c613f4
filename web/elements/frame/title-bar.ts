import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { describeRuntime } from '../../../protocol/runtime-description.ts';
import { hasImage } from '../../../protocol/sandbox/sandbox-info.ts';
import { act } from '../model/actions.ts';
import { explainPlace } from '../model/explain-place.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Phase } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';

const phases: { readonly [phase in Phase]: string } = {
  starting: 'starting',
  ready: '',
  moving: 'going back',
  failed: 'stopped',
  closed: 'closed',
};

/** Which sandbox it is, from what image, and where it runs. Fires `drawer` for the panels of a narrow screen. */
export class TitleBar extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    drawer: {},
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: var(--cp-space-2);
        min-height: var(--cp-bar-height);
        padding: 0 var(--cp-space-2) 0 var(--cp-space-3);
        border-bottom: 1px solid var(--cp-line);
        background: var(--cp-panel);
      }
      h1 {
        margin: 0;
        font-size: 0.875rem;
        font-weight: 650;
        letter-spacing: -0.01em;
      }
      .mark {
        display: inline-block;
        width: 14px;
        height: 14px;
        margin-right: 6px;
        vertical-align: -2px;
        fill: none;
        stroke: var(--cp-accent);
        stroke-width: 2;
        stroke-linecap: round;
      }
      .sandbox {
        min-width: 0;
        max-width: 24vw;
        font-weight: 600;
      }
      .facts {
        display: flex;
        flex: 1;
        align-items: center;
        gap: var(--cp-space-3);
        min-width: 0;
      }
      .facts button {
        min-width: 0;
      }
      .place::before {
        content: '';
        display: inline-block;
        width: 7px;
        height: 7px;
        margin-right: 6px;
        border-radius: 50%;
        background: var(--cp-accent);
      }
      .place.stopped::before {
        background: var(--cp-danger);
      }
      .place.waiting::before {
        background: none;
        box-shadow: inset 0 0 0 1.5px var(--cp-accent);
      }
      .where {
        position: relative;
        display: flex;
        min-width: 0;
      }
      [role='tooltip'] {
        position: absolute;
        top: calc(100% + 2px);
        left: 0;
        z-index: 4;
        width: max-content;
        max-width: 24rem;
        padding: var(--cp-space-2);
        border: 1px solid var(--cp-line);
        border-radius: var(--cp-radius);
        background: var(--cp-raised);
        box-shadow: var(--cp-shadow);
        visibility: hidden;
      }
      /* The pointer crosses the gap without leaving. */
      [role='tooltip']::before {
        content: '';
        position: absolute;
        inset: -4px 0 auto;
        height: 4px;
      }
      .where:not(.dismissed):hover [role='tooltip'],
      .where:not(.dismissed) button:focus-visible + [role='tooltip'] {
        visibility: visible;
      }
      .narrow {
        display: none;
      }
      @media (width < 70rem) {
        .narrow.changes {
          display: inline-flex;
        }
      }
      /* As on a laptop at 200 % zoom: what goes is in the commands too. */
      @media (width < 60rem) {
        .made-of,
        .move,
        h1 .word,
        kbd {
          display: none;
        }
      }
      @media (width < 44rem) {
        .narrow {
          display: inline-flex;
        }
        .wide,
        .facts {
          display: none;
        }
        :host {
          gap: 0;
          padding: 0 var(--cp-space-1);
        }
        .sandbox {
          flex: 1;
          justify-content: flex-start;
          max-width: none;
        }
        h1 {
          padding-left: var(--cp-space-1);
        }
      }
    `,
  ];

  declare model: SandboxModel | undefined;
  declare drawer: 'history' | 'changes' | undefined;

  /** Whether Escape has hidden the explanation, until the pointer or the focus comes again. */
  #isDismissed = false;
  readonly #onKey = ({ key }: KeyboardEvent): void => {
    if (key === 'Escape') this.#dismiss(true);
  };

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.#onKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#onKey);
  }

  #dismiss(isDismissed: boolean): void {
    if (this.#isDismissed === isDismissed) return;
    this.#isDismissed = isDismissed;
    this.requestUpdate();
  }

  override render(): TemplateResult {
    const info = this.model?.state.info;
    return html`
      <h1>
        <svg class="mark" viewBox="0 0 14 14" aria-hidden="true">
          <path d="M7 13V7M7 9C3 9 3 6 3 2M7 7C7 4 7 3 7 1M7 9C11 9 11 6 11 3" />
        </svg><span class="word">coppice</span>
      </h1>
      <button
        class="sandbox"
        title="Sandboxes in this browser"
        @click=${() => act(this, { type: 'open-sandboxes' })}
      >
        <span class="ellipsis">${info === undefined ? 'sandbox' : plainLine(info.name, 40)}</span>
        <span aria-hidden="true">▾</span>
      </button>
      ${this.#renderFacts()}
      ${this.#renderDrawerButton('history', 'History')} ${this.#renderDrawerButton('changes', 'Changes')}
      <button
        class="outlined"
        title="Commands: Ctrl+K, in the terminal Ctrl+Shift+K"
        @click=${() => act(this, { type: 'open-palette' })}
      >
        <span class="wide">Commands</span><kbd class="wide" aria-hidden="true">Ctrl+K</kbd
        ><span class="narrow"><span class="hidden-text">Commands</span><span aria-hidden="true">⋯</span></span>
      </button>
      <button
        class="icon wide"
        aria-label="Switch light and dark"
        title="Switch light and dark"
        @click=${() => act(this, { type: 'toggle-theme' })}
      >
        ◐
      </button>
      <button
        class="icon wide"
        aria-label="Keyboard shortcuts"
        title="Keyboard shortcuts"
        @click=${() => act(this, { type: 'open-shortcuts' })}
      >
        ?
      </button>
    `;
  }

  #renderFacts(): TemplateResult {
    const state = this.model?.state;
    if (state?.info === undefined) return html`<div class="facts"></div>`;
    const host = this.model?.host;
    const { place, why } = (this.model && explainPlace(this.model)) ?? { place: '', why: '' };
    const isElsewhere = state.phase === 'failed' && state.failure?.code === 'busy' && host === undefined;
    const phase = isElsewhere ? 'open in another one' : phases[state.phase];
    const stopped = !isElsewhere && (state.phase === 'failed' || state.phase === 'closed');
    const look = stopped ? 'place stopped' : phase === '' ? 'place' : 'place waiting';
    return html`<div class="facts">
      <span class="muted ellipsis made-of">${hasImage(state.info) ? `image ${plainLine(state.info.image, 40)}` : describeRuntime(state.info.runtime)?.title.toLowerCase()}</span>
      <span
        class=${this.#isDismissed ? 'where dismissed' : 'where'}
        @pointerenter=${() => this.#dismiss(false)}
        @focusin=${() => this.#dismiss(false)}
      >
        <button aria-describedby="why" @click=${() => act(this, { type: 'open-bridges' })}>
          <span class=${`${look} ellipsis`}>${place}${phase === '' ? '' : `, ${phase}`}</span>
          <span aria-hidden="true">▾</span>
        </button>
        <span id="why" role="tooltip">${why}</span>
      </span>
      ${state.phase === 'ready' ? this.#renderMove(host === undefined) : nothing}
      ${
        state.history === undefined
          ? nothing
          : html`<button
            class="outlined"
            title="A link or a file that opens this in any browser"
            @click=${() => act(this, { type: 'share', id: undefined })}
          >
            Share
          </button>
          <button
            class="outlined move"
            title="Save this session as a recording that plays in any browser"
            @click=${() => act(this, { type: 'save-session' })}
          >
            Save
          </button>`
      }
      ${state.readOnly ? html`<span class="muted">read only</span>` : nothing}
    </div>`;
  }

  #renderMove(isHere: boolean): TemplateResult {
    const { info } = this.model?.state ?? {};
    return isHere
      ? html`${
          info === undefined || hasImage(info)
            ? nothing
            : html`<button
                class="outlined move"
                title="Go on with this in a Linux machine in this tab"
                @click=${() => act(this, { type: 'run-in-machine' })}
              >
                Run in a machine
              </button>`
        }
        <button
          class="outlined move"
          title="Go on with this on a Linux host, natively"
          @click=${() => act(this, { type: 'run-on-host' })}
        >
          Run on host
        </button>`
      : html`<button
          class="outlined move"
          title="Go on with this in the tab; what is there is kept as a snapshot"
          @click=${() => act(this, { type: 'bring-back' })}
        >
          Bring back
        </button>`;
  }

  #renderDrawerButton(drawer: 'history' | 'changes', label: string): TemplateResult {
    return html`<button
      class=${`narrow ${drawer}`}
      aria-expanded=${this.drawer === drawer}
      @click=${() => this.dispatchEvent(new CustomEvent('drawer', { detail: drawer }))}
    >
      ${label}
    </button>`;
  }
}
