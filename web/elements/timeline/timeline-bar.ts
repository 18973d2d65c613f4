import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  svg,
  type TemplateResult,
} from 'lit';
import { styleMap } from 'lit/directives/style-map.js';
import type { SnapshotInfo, TreeRef } from '../../../protocol/sandbox.ts';
import { act } from '../model/actions.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { visibleSnapshots } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { describeMoment } from '../text/describe-moment.ts';
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';
import { ancestorsOf, markHeight, markWidthPx, stepInTimeline } from './timeline-marks.ts';
import { type PlacedStop, placeStops, type Stop, slotsOf, stopAt } from './timeline-stops.ts';

const heightPx = 28;
/** The most room a mark takes; with more of them than fit, they share the bar. */
const slotPx = 14;
/** How tall the mark of a moment is. */
const momentPx = 8;

/**
 * Every snapshot in the order of time as a mark, taller the more it changed, with the moments of the running machine
 * between them; the last place is now. Dragged over the moments, it shows the screen of each, and goes to the last.
 */
export class TimelineBar extends LitElement {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    css`
      :host {
        display: flex;
        align-items: center;
        gap: var(--cp-space-1);
        min-width: 0;
        padding: 0 var(--cp-space-2);
        border-top: 1px solid var(--cp-line);
        background: var(--cp-panel);
      }
      [role='slider'] {
        flex: 0 1 auto;
        min-width: 0;
        height: 28px;
        margin: var(--cp-space-1) 0;
        touch-action: none;
      }
      svg {
        display: block;
        width: 100%;
        height: 100%;
        overflow: visible;
      }
      path {
        stroke: var(--cp-mark);
        stroke-width: var(--mark-width);
        vector-effect: non-scaling-stroke;
      }
      path.live {
        stroke: var(--cp-accent);
      }
      path.selected {
        stroke: var(--cp-text);
      }
      path.moment {
        stroke-width: 1;
      }
      path.selected.moment {
        stroke: var(--cp-accent);
        stroke-width: 3;
      }
      path.ground {
        stroke: var(--cp-line);
        stroke-width: 1;
      }
      .label {
        flex: 1 1 12rem;
        padding-left: var(--cp-space-2);
        font-size: var(--cp-small-size);
      }
      @media (width < 44rem) {
        .label {
          display: none;
        }
      }
    `,
  ];

  declare model: SandboxModel | undefined;

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('[role=slider]')?.focus();
  }

  override render(): TemplateResult {
    const stops = this.#stops();
    const index = this.#index(stops);
    const label = describeStop(stops[index]);
    const slots = slotsOf(stops);
    return html`
      <button class="icon" aria-label="Previous snapshot" title="Previous snapshot" @click=${() => this.#step(-1)}>
        ‹
      </button>
      <div
        role="slider"
        tabindex="0"
        style=${styleMap({ width: `${slots * slotPx}px`, '--mark-width': `${markWidthPx(slots)}px` })}
        aria-label="Timeline"
        aria-valuemin="0"
        aria-valuemax=${stops.length - 1}
        aria-valuenow=${index}
        aria-valuetext=${label}
        data-moment=${this.model?.state.scrubbing ?? nothing}
        title="Tall marks are snapshots, taller the more they changed; Enter goes back to one. Fine ones are moments of the running machine: it goes to where you let go."
        @keydown=${this.#onKey}
        @pointerdown=${this.#onPointer}
        @pointermove=${this.#onPointer}
        @pointerup=${this.#onRelease}
        @pointercancel=${this.#giveUp}
        @blur=${this.#giveUp}
        @dblclick=${this.#goBack}
      >
        ${stops.length > 1 ? this.#renderMarks(stops, index) : nothing}
      </div>
      <button class="icon" aria-label="Next snapshot" title="Next snapshot" @click=${() => this.#step(1)}>›</button>
      <span class="label ellipsis" aria-hidden="true">${label}</span>
    `;
  }

  #renderMarks(stops: readonly PlacedStop[], index: number): TemplateResult {
    const live = ancestorsOf(this.#snapshots(), this.model?.state.history?.head);
    const paths = { live: '', other: '', moments: '', selected: '' };
    stops.forEach((stop, at) => {
      const mark = markPath(stop);
      if (at === index) paths.selected = mark;
      if (stop.type === 'moment') paths.moments += mark;
      else if (stop.type === 'now' || live.has(stop.snapshot.id)) paths.live += mark;
      else paths.other += mark;
    });
    const width = slotsOf(stops);
    const isMoment = stops[index]?.type === 'moment';
    return html`<svg viewBox=${`0 0 ${width} ${heightPx}`} preserveAspectRatio="none" aria-hidden="true">
      ${svg`
        <path class="ground" d=${`M0 ${heightPx}H${width}`} />
        <path class="moment" d=${paths.moments} />
        <path d=${paths.other} />
        <path class="live" d=${paths.live} />
        <path class=${isMoment ? 'selected moment' : 'selected'} d=${paths.selected} />`}
    </svg>`;
  }

  #snapshots(): readonly SnapshotInfo[] {
    return this.model === undefined ? [] : visibleSnapshots(this.model.state);
  }

  #stops(): readonly PlacedStop[] {
    return placeStops(this.#snapshots(), this.model?.state.moments ?? []);
  }

  /** Where the selected state is. */
  #index(stops: readonly PlacedStop[]): number {
    const { selected, scrubbing } = this.model?.state ?? {};
    const index = stops.findIndex((stop) =>
      stop.type === 'moment'
        ? stop.moment.id === scrubbing
        : stop.type === 'snapshot' && scrubbing === undefined && stop.snapshot.id === selected,
    );
    return index < 0 ? stops.length - 1 : index;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const stops = this.#stops();
    const next = stepInTimeline(event.key, { index: this.#index(stops), last: stops.length - 1 });
    if (event.key === 'Enter') this.#goBack();
    else if (event.key === 'Escape' && this.model?.state.scrubbing !== undefined) this.#giveUp();
    else if (next !== undefined) this.#selectStop(stops[next]);
    else return;
    event.preventDefault();
  }

  #onPointer(event: PointerEvent): void {
    if (event.buttons !== 1) return;
    const bar = event.currentTarget as HTMLElement;
    if (event.type === 'pointerdown') bar.setPointerCapture(event.pointerId);
    const box = bar.getBoundingClientRect();
    const stops = this.#stops();
    const slot = ((event.clientX - box.left) / box.width) * slotsOf(stops);
    this.#selectStop(stops[stopAt(stops, slot)]);
  }

  /** The machine goes to the moment that is looked at. */
  #onRelease(): void {
    const moment = this.model?.state.scrubbing;
    if (moment !== undefined) act(this, { type: 'go-to-moment', moment });
  }

  #giveUp(): void {
    if (this.model?.state.scrubbing !== undefined) act(this, { type: 'scrub', moment: undefined });
  }

  #step(by: number): void {
    const stops = this.#stops().filter(({ type }) => type !== 'moment');
    const index = Math.min(stops.length - 1, Math.max(0, this.#index(stops) + by));
    this.#selectStop(stops[index]);
  }

  #selectStop(stop: Stop | undefined): void {
    const moment = stop?.type === 'moment' ? stop.moment.id : undefined;
    if (moment !== this.model?.state.scrubbing) act(this, { type: 'scrub', moment });
    if (moment !== undefined) return;
    const ref: TreeRef = stop?.type === 'snapshot' ? stop.snapshot.id : 'now';
    if (ref !== this.model?.state.selected) act(this, { type: 'select', ref });
  }

  #goBack(): void {
    const { scrubbing, selected = 'now' } = this.model?.state ?? {};
    if (scrubbing !== undefined) act(this, { type: 'go-to-moment', moment: scrubbing });
    else if (selected !== 'now') act(this, { type: 'checkout', id: selected });
  }
}

function describeStop(stop: Stop | undefined): string {
  switch (stop?.type) {
    case 'snapshot':
      return `${clockTime(stop.snapshot.takenAtMs, Date.now())} ${describeSnapshot(stop.snapshot)}`;
    case 'moment':
      return `${clockTime(stop.moment.takenAtMs, Date.now(), { seconds: true })} ${describeMoment(stop.moment)}`;
    default:
      return 'now';
  }
}

function markPath(stop: PlacedStop): string {
  const height =
    stop.type === 'snapshot'
      ? markHeight(stop.snapshot.changes, heightPx)
      : stop.type === 'moment'
        ? momentPx
        : heightPx;
  return `M${stop.from + stop.width / 2} ${heightPx}V${heightPx - height}`;
}
