import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { spellTime } from './describe-time.ts';
import type { ReplayModel } from './replay-model.ts';
import { speeds } from './replay-state.ts';

/** Play and pause, steps, speed, and whether idle time is skipped. */
export class ReplayControls extends LitElement {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--cp-space-1);
        min-width: 0;
      }
      .play {
        min-width: 5.5rem;
      }
      .time {
        padding: 0 var(--cp-space-2);
        white-space: nowrap;
      }
      .rest {
        display: flex;
        align-items: center;
        gap: var(--cp-space-2);
        margin-left: auto;
      }
      select {
        min-height: var(--cp-control-height);
        border: 1px solid var(--cp-control-line);
        border-radius: var(--cp-radius);
        background: var(--cp-raised);
      }
      label {
        display: inline-flex;
        align-items: center;
        gap: var(--cp-space-1);
        white-space: nowrap;
      }
      input[type='checkbox'] {
        min-height: 0;
        accent-color: var(--cp-accent);
      }
      @media (pointer: coarse) {
        label,
        select {
          min-height: 2.5rem;
        }
        input[type='checkbox'] {
          min-height: 0 !important;
          width: 1.25rem;
          height: 1.25rem;
        }
      }
    `,
  ];

  declare model: ReplayModel | undefined;
  #timed: ReplayModel | undefined;
  readonly #onTime = (): void => this.#showTime();

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#timed?.removeEventListener('time', this.#onTime);
    this.#timed = undefined;
  }

  override render(): TemplateResult {
    const { isPlaying = false, isWaiting = false, speed = 1, skipsIdle = true } = this.model?.state ?? {};
    const label = isPlaying ? (isWaiting ? 'Waiting …' : 'Pause') : 'Play';
    return html`
      <button class="play primary" aria-keyshortcuts="Space" @click=${this.#toggle}>
        <span aria-hidden="true">${isPlaying ? '❚❚' : '▶'}</span> ${label}
      </button>
      <button class="icon outlined" title="Previous step (J)" aria-label="Previous step" @click=${() => this.model?.step(-1)}>
        ‹
      </button>
      <button class="icon outlined" title="Next step (K)" aria-label="Next step" @click=${() => this.model?.step(1)}>›</button>
      <span class="time number" aria-hidden="true"></span>
      <span class="rest">
        <label
          >Speed
          <select @change=${this.#onSpeed}>
            ${speeds.map((each) => html`<option value=${each} ?selected=${each === speed}>${each}×</option>`)}
          </select></label
        >
        <label
          ><input
            type="checkbox"
            .checked=${skipsIdle}
            @change=${(event: Event) => this.model?.setSkipsIdle((event.target as HTMLInputElement).checked)}
          />
          Skip idle time</label
        >
      </span>
    `;
  }

  override updated(): void {
    if (this.model !== this.#timed) {
      this.#timed?.removeEventListener('time', this.#onTime);
      this.#timed = this.model;
      this.model?.addEventListener('time', this.#onTime);
    }
    const select = this.renderRoot.querySelector('select');
    if (select !== null) select.value = String(this.model?.state.speed ?? 1);
    this.#showTime();
  }

  #showTime(): void {
    const { at = 0, duration = 0 } = this.model ?? {};
    const text = `${spellTime(at)} / ${spellTime(duration)}`;
    const shown = this.renderRoot.querySelector('.time');
    if (shown !== null && shown.textContent !== text) shown.textContent = text;
  }

  #toggle(): void {
    if (this.model?.state.isPlaying) this.model.pause();
    else this.model?.play();
  }

  #onSpeed(event: Event): void {
    this.model?.setSpeed(Number((event.target as HTMLSelectElement).value));
  }
}
