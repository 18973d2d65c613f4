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
import { describeSnapshot } from '../text/describe-snapshot.ts';
import { clockTime } from '../text/relative-time.ts';
import { ancestorsOf, markHeight, markWidthPx, stepInTimeline } from './timeline-marks.ts';

const heightPx = 28;
/** The most room a mark takes; with more of them than fit, they share the bar. */
const slotPx = 14;

/** Every snapshot in the order of time as a mark, taller the more it changed; the last place is now. */
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
    const snapshots = this.#snapshots();
    const index = this.#index(snapshots);
    const shown = snapshots[index];
    const width = (snapshots.length + 1) * slotPx;
    const label =
      shown === undefined ? 'now' : `${clockTime(shown.takenAtMs, Date.now())} ${describeSnapshot(shown)}`;
    return html`
      <button class="icon" aria-label="Previous snapshot" title="Previous snapshot" @click=${() => this.#step(-1)}>
        ‹
      </button>
      <div
        role="slider"
        tabindex="0"
        style=${styleMap({ width: `${width}px`, '--mark-width': `${markWidthPx(snapshots.length)}px` })}
        aria-label="Timeline"
        aria-valuemin="0"
        aria-valuemax=${snapshots.length}
        aria-valuenow=${index}
        aria-valuetext=${label}
        title="One mark per snapshot, taller the more it changed. Enter goes back to it."
        @keydown=${this.#onKey}
        @pointerdown=${this.#onPointer}
        @pointermove=${this.#onPointer}
        @dblclick=${this.#goBack}
      >
        ${snapshots.length > 0 ? this.#renderMarks(snapshots, index) : nothing}
      </div>
      <button class="icon" aria-label="Next snapshot" title="Next snapshot" @click=${() => this.#step(1)}>›</button>
      <span class="label ellipsis" aria-hidden="true">${label}</span>
    `;
  }

  #renderMarks(snapshots: readonly SnapshotInfo[], index: number): TemplateResult {
    const live = ancestorsOf(snapshots, this.model?.state.history?.head);
    let liveMarks = '';
    let otherMarks = '';
    snapshots.forEach((snapshot, at) => {
      const mark = markPath(at, markHeight(snapshot.changes, heightPx));
      if (live.has(snapshot.id)) liveMarks += mark;
      else otherMarks += mark;
    });
    const width = snapshots.length + 1;
    const selected = snapshots[index];
    const height = selected === undefined ? heightPx : markHeight(selected.changes, heightPx);
    return html`<svg viewBox=${`0 0 ${width} ${heightPx}`} preserveAspectRatio="none" aria-hidden="true">
      ${svg`
        <path class="ground" d=${`M0 ${heightPx}H${width}`} />
        <path d=${otherMarks} />
        <path class="live" d=${liveMarks + markPath(snapshots.length, heightPx)} />
        <path class="selected" d=${markPath(index, height)} />`}
    </svg>`;
  }

  #snapshots(): readonly SnapshotInfo[] {
    return this.model === undefined ? [] : visibleSnapshots(this.model.state);
  }

  /** Where the selected state is; now is the place after the last snapshot. */
  #index(snapshots: readonly SnapshotInfo[]): number {
    const selected = this.model?.state.selected;
    const index = snapshots.findIndex((snapshot) => snapshot.id === selected);
    return index < 0 ? snapshots.length : index;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const snapshots = this.#snapshots();
    const next = stepInTimeline(event.key, { index: this.#index(snapshots), last: snapshots.length });
    if (event.key === 'Enter') this.#goBack();
    else if (next !== undefined) this.#selectAt(snapshots, next);
    else return;
    event.preventDefault();
  }

  #onPointer(event: PointerEvent): void {
    if (event.buttons !== 1) return;
    const bar = event.currentTarget as HTMLElement;
    if (event.type === 'pointerdown') bar.setPointerCapture(event.pointerId);
    const box = bar.getBoundingClientRect();
    const snapshots = this.#snapshots();
    const index = Math.floor(((event.clientX - box.left) / box.width) * (snapshots.length + 1));
    this.#selectAt(snapshots, Math.min(snapshots.length, Math.max(0, index)));
  }

  #step(by: number): void {
    const snapshots = this.#snapshots();
    this.#selectAt(snapshots, Math.min(snapshots.length, Math.max(0, this.#index(snapshots) + by)));
  }

  #selectAt(snapshots: readonly SnapshotInfo[], index: number): void {
    const ref: TreeRef = snapshots[index]?.id ?? 'now';
    if (ref !== this.model?.state.selected) act(this, { type: 'select', ref });
  }

  #goBack(): void {
    const selected = this.model?.state.selected ?? 'now';
    if (selected !== 'now') act(this, { type: 'checkout', id: selected });
  }
}

function markPath(index: number, height: number): string {
  return `M${index + 0.5} ${heightPx}V${heightPx - height}`;
}
