import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  svg,
  type TemplateResult,
} from 'lit';
import { styleMap } from 'lit/directives/style-map.js';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import { act } from '../model/actions.ts';
import { checkpointOfSnapshot } from '../model/checkpoints-of-snapshots.ts';
import { type HistoryRow, timelineRows } from '../model/history-rows.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { goToStop } from './go-to-stop.ts';
import { nameStop, titleStop } from './stop-names.ts';
import { timelineBarStyles } from './timeline-bar.styles.ts';
import { placeLabels } from './timeline-labels.ts';
import { ancestorsOf, markHeight, markWidthPx, stepInTimeline } from './timeline-marks.ts';
import {
  nextSnapshotStop,
  type PlacedStop,
  placeStops,
  type Stop,
  slotsOf,
  stopAt,
} from './timeline-stops.ts';

const heightPx = 28;
/** Heights of a checkpoint's mark, and of one at a command's end. */
const checkpointPx = 8;
const commandPx = 14;

/**
 * Shows every row of the history as a mark, in the order of time, taller the more it changed, with the machine's
 * checkpoints between them; the last place is now. A click or a drag shows the terminals' output at that time; only
 * Enter or the button goes there.
 */
export class TimelineBar extends LitElement {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [sharedStyles, timelineBarStyles];

  declare model: SandboxModel | undefined;
  #widthPx = 0;
  #hovered: number | undefined;
  #madeOf: readonly unknown[] = [];
  #made: { readonly rows: readonly HistoryRow[]; readonly stops: readonly PlacedStop[] } = {
    rows: [],
    stops: [],
  };
  readonly #resize = new ResizeObserver(([entry]) => {
    this.#widthPx = entry?.contentRect.width ?? 0;
    this.requestUpdate();
  });

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override firstUpdated(): void {
    const track = this.renderRoot.querySelector('[role=slider]');
    if (track !== null) this.#resize.observe(track);
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('[role=slider]')?.focus();
  }

  override render(): TemplateResult {
    const { rows, stops } = this.#placed();
    const index = this.#index(stops);
    const nowMs = Date.now();
    const shown = titleStop(stops[this.#hovered ?? index] ?? stops[index], nowMs);
    return html`
      <div class="line">
        <button class="icon" aria-label="Previous snapshot" title="Previous snapshot" @click=${() => this.#step(-1)}>
          ‹
        </button>
        <button class="icon" aria-label="Next snapshot" title="Next snapshot" @click=${() => this.#step(1)}>›</button>
        <span class="label ellipsis number" aria-hidden="true">${shown}</span>
        <coppice-timeline-actions .model=${this.model} .stop=${stops[index]}></coppice-timeline-actions>
      </div>
      <div
        role="slider"
        tabindex="0"
        aria-label="Timeline"
        aria-valuemin="0"
        aria-valuemax=${stops.length - 1}
        aria-valuenow=${index}
        aria-valuetext=${nameStop(stops[index], { rows, nowMs })}
        aria-description="Arrows show a state of the past, Enter goes back to it."
        data-checkpoint=${this.model?.state.scrubbing?.checkpoint ?? nothing}
        @keydown=${this.#onKey}
        @pointerdown=${this.#onDown}
        @pointermove=${this.#onMove}
        @pointerleave=${() => this.#hover(undefined)}
      >
        ${stops.length > 1 ? this.#renderMarks(stops, { index, rows }) : nothing}
        ${placeLabels(stops, this.#widthPx).map(
          ({ leftPx, widthPx, text, time }) => html`<span
            class="name ellipsis number"
            aria-hidden="true"
            style=${styleMap({ left: `${leftPx}px`, width: `${widthPx}px` })}
            ><span class="time">${time}</span> ${text}</span
          >`,
        )}
      </div>
    `;
  }

  #renderMarks(
    stops: readonly PlacedStop[],
    { index, rows }: { index: number; rows: readonly HistoryRow[] },
  ): TemplateResult {
    const listed = rows.map(({ snapshot, parents }) => ({ id: snapshot.id, parents }));
    const live = ancestorsOf(listed, this.model?.state.history?.head);
    const changes = new Map(rows.map((row) => [row.snapshot.id, row.changes]));
    const heightOf = (stop: Stop): number => {
      if (stop.type === 'checkpoint')
        return stop.checkpoint.cause.type === 'command' ? commandPx : checkpointPx;
      return stop.type === 'now'
        ? heightPx
        : markHeight(changes.get(stop.snapshot.id) ?? stop.snapshot.changes, heightPx);
    };
    const paths = { live: '', other: '', checkpoints: '', selected: '', hovered: '' };
    stops.forEach((stop, at) => {
      const mark = `M${stop.from + stop.width / 2} ${heightPx}V${heightPx - heightOf(stop)}`;
      if (at === index) paths.selected = mark;
      if (at === this.#hovered) paths.hovered = mark;
      if (stop.type === 'checkpoint') paths.checkpoints += mark;
      else if (stop.type === 'now' || live.has(stop.snapshot.id)) paths.live += mark;
      else paths.other += mark;
    });
    const slots = slotsOf(stops);
    const isCheckpoint = stops[index]?.type === 'checkpoint';
    const style = styleMap({ '--mark-width': `${markWidthPx(slots)}px` });
    return html`<svg viewBox=${`0 0 ${slots} ${heightPx}`} preserveAspectRatio="none" aria-hidden="true" style=${style}>
      ${svg`
        <path class="ground" d=${`M0 ${heightPx}H${slots}`} />
        <path class="checkpoint" d=${paths.checkpoints} />
        <path d=${paths.other} />
        <path class="live" d=${paths.live} />
        <path class="hovered" d=${paths.hovered} />
        <path class=${isCheckpoint ? 'selected checkpoint' : 'selected'} d=${paths.selected} />`}
    </svg>`;
  }

  /** Cached until the state changes, since every pointer movement needs them. */
  #placed(): { readonly rows: readonly HistoryRow[]; readonly stops: readonly PlacedStop[] } {
    const state = this.model?.state;
    if (state === undefined) return { rows: [], stops: placeStops([], []) };
    const { history, hidden, opened, counted, selected, checkpoints } = state;
    const parts = [history, hidden, opened, counted, selected, checkpoints];
    if (parts.every((part, at) => part === this.#madeOf[at])) return this.#made;
    const rows = timelineRows(state);
    const stops = placeStops(
      rows.map(({ snapshot }) => snapshot),
      checkpoints,
    );
    this.#madeOf = parts;
    this.#made = { rows, stops };
    return this.#made;
  }

  #stops(): readonly PlacedStop[] {
    return this.#placed().stops;
  }

  /** The position of the selected state. */
  #index(stops: readonly PlacedStop[]): number {
    const { selected, scrubbing } = this.model?.state ?? {};
    const isCheckpoint = scrubbing !== undefined && scrubbing.snapshot === undefined;
    const index = stops.findIndex((stop) => {
      if (isCheckpoint) return stop.type === 'checkpoint' && stop.checkpoint.id === scrubbing.checkpoint;
      return stop.type === 'snapshot' && stop.snapshot.id === selected;
    });
    return index < 0 ? stops.length - 1 : index;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const stops = this.#stops();
    const index = this.#index(stops);
    const next = stepInTimeline(event.key, { index, last: stops.length - 1 });
    if (event.key === 'Enter') goToStop(this, stops[index]);
    else if (event.key === 'Escape') this.#show(undefined);
    else if (next !== undefined) this.#show(stops[next]);
    else return;
    event.preventDefault();
  }

  #onDown(event: PointerEvent): void {
    if (event.button !== 0) return;
    (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
    this.#show(this.#under(event));
  }

  #onMove(event: PointerEvent): void {
    if (event.buttons === 1) this.#show(this.#under(event));
    else this.#hover(event);
  }

  #hover(event: PointerEvent | undefined): void {
    const stops = this.#stops();
    const stop = event?.pointerType === 'mouse' ? this.#under(event, stops) : undefined;
    const hovered = stop === undefined ? undefined : stops.indexOf(stop);
    if (hovered === this.#hovered) return;
    this.#hovered = hovered;
    this.requestUpdate();
  }

  #under(event: PointerEvent, stops: readonly PlacedStop[] = this.#stops()): PlacedStop | undefined {
    const box = (event.currentTarget as HTMLElement).getBoundingClientRect();
    return stops[stopAt(stops, ((event.clientX - box.left) / box.width) * slotsOf(stops))];
  }

  /** Moves to the next or previous snapshot from the shown state, which may be a checkpoint between two snapshots. */
  #step(by: 1 | -1): void {
    const stops = this.#stops();
    const next = nextSnapshotStop(stops, { from: this.#index(stops), by });
    if (next !== undefined) this.#show(next);
  }

  /** Shows a past state in the terminals, or now. */
  #show(stop: Stop | undefined): void {
    this.#hovered = undefined;
    const state = this.model?.state;
    if (stop?.type === 'checkpoint') act(this, { type: 'scrub', checkpoint: stop.checkpoint.id });
    else if (stop?.type === 'snapshot' && state !== undefined) {
      const checkpoint = checkpointOfSnapshot(stop.snapshot, state)?.id;
      act(this, { type: 'scrub', checkpoint, snapshot: stop.snapshot.id });
    } else {
      const now: TreeRef = 'now';
      act(this, { type: 'select', ref: now });
    }
  }
}
