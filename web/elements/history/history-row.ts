import { html, nothing, type TemplateResult } from 'lit';
import { styleMap } from 'lit/directives/style-map.js';
import type { ChangeSummary } from '../../../tree/history/snapshot-record.ts';
import type { HistoryRow } from '../model/history-rows.ts';
import {
  countChanges,
  describePaths,
  describeSnapshot,
  plainLine,
  spellCounts,
} from '../text/describe-snapshot.ts';
import { clockTime, relativeTime } from '../text/relative-time.ts';
import { laneGraph, rowHeightPx } from './lane-graph.ts';
import type { LaneRow } from './layout-lanes.ts';

/** The data of a row, besides its lanes. */
export interface HistoryRowOptions {
  readonly index: number;
  readonly count: number;
  /** Whether it is the row that has the tree's one tab stop. */
  readonly current: boolean;
  /** The snapshot of this row; `undefined` for now. */
  readonly listed: HistoryRow | undefined;
  readonly pending: ChangeSummary | undefined;
  readonly head: boolean;
  readonly marked: boolean;
  readonly graphWidth: number;
  readonly nowMs: number;
  readonly select: () => void;
  readonly toggleSteps: () => void;
  readonly enter: () => void;
  /** Called when the mouse moves over the row, and with `undefined` when it leaves. */
  readonly hover: (move?: PointerEvent) => void;
}

/** One row of the history: its place in the graph, what caused it, what it changed, when. */
export function historyRow(row: LaneRow, options: HistoryRowOptions): TemplateResult {
  const { listed, index } = options;
  const snapshot = listed?.snapshot;
  const hasSteps = listed !== undefined && listed.steps.length > 0;
  return html`<div
    role="treeitem"
    id=${`row-${row.id}`}
    class=${row.live ? 'live' : 'off'}
    style=${styleMap({ top: `${index * rowHeightPx}px` })}
    tabindex=${options.current ? 0 : -1}
    aria-selected=${options.current}
    aria-level=${row.lane + 1}
    aria-expanded=${hasSteps ? listed.isOpen : nothing}
    aria-posinset=${index + 1}
    aria-setsize=${options.count}
    @click=${options.select}
    @dblclick=${options.enter}
    @pointermove=${(event: PointerEvent) => onMove(event, options)}
    @pointerleave=${() => options.hover()}
  >
    <span class="hidden-text">${rowName(options)}</span>
    <svg width=${options.graphWidth} height=${rowHeightPx} aria-hidden="true">
      ${laneGraph(row, { tagged: (snapshot?.tags.length ?? 0) > 0, head: options.head })}
    </svg>
    <div class="body" aria-hidden="true">${listed === undefined ? nowBody(options) : snapshotBody(listed, options)}</div>
  </div>`;
}

/** A tap selects the row, and must not open a preview over it. */
function onMove(event: PointerEvent, options: HistoryRowOptions): void {
  if (event.pointerType === 'mouse') options.hover(event);
}

function nowBody({ pending }: HistoryRowOptions): TemplateResult {
  const unsaved = pending !== undefined && pending.paths.length > 0;
  return html`
    <div class="first"><strong class="title">now</strong></div>
    <div class="second number">
      ${unsaved ? html`${countsOf(pending)}<span>not yet a snapshot</span>` : 'every change is in a snapshot'}
    </div>
  `;
}

function snapshotBody(listed: HistoryRow, options: HistoryRowOptions): TemplateResult {
  const { snapshot, step } = listed;
  const mono = step === undefined && snapshot.cause.type === 'capture' && snapshot.cause.commands.length > 0;
  return html`
    <div class="first">
      ${listed.steps.length === 0 ? nothing : stepsButton(listed, options)}
      <span class=${mono ? 'title mono ellipsis' : 'title ellipsis'}>${nameRow(listed)}</span>
      <time class="number" datetime=${new Date(snapshot.takenAtMs).toISOString()}>
        ${relativeTime(snapshot.takenAtMs, options.nowMs)}
      </time>
    </div>
    <div class="second number">
      ${countsOf(listed.changes)} ${listed.steps.length === 0 ? nothing : html`<span>${countSteps(listed)}</span>`}
      ${snapshot.tags.map((tag) => html`<span class="tag ellipsis">${plainLine(tag, 80)}</span>`)}
      ${options.marked ? html`<span class="marked">marked</span>` : nothing}
    </div>
  `;
}

function countsOf(changes: ChangeSummary): TemplateResult {
  const { created, modified, deleted } = changes;
  const total = countChanges(changes);
  if (total === 0) return html`<span>${spellCounts(changes)}</span>`;
  return html`<span>
    ${created > 0 ? html`<span class="created">+${created}</span>` : nothing}
    ${modified > 0 ? html`<span class="modified">~${modified}</span>` : nothing}
    ${deleted > 0 ? html`<span class="deleted">−${deleted}</span>` : nothing}
    ${total === 1 ? 'file' : 'files'}</span
  >`;
}

/** Opens the captures that are folded under a row; with the keyboard, the arrows do. */
function stepsButton({ isOpen }: HistoryRow, { toggleSteps }: HistoryRowOptions): TemplateResult {
  return html`<button
    class="steps"
    tabindex="-1"
    aria-hidden="true"
    title="Captures that were taken while the command ran"
    @click=${(event: Event) => {
      event.stopPropagation();
      toggleSteps();
    }}
  >
    ${isOpen ? '▾' : '▸'}
  </button>`;
}

function countSteps({ steps }: HistoryRow): string {
  return `${steps.length} ${steps.length === 1 ? 'step' : 'steps'}`;
}

function nameRow({ snapshot, step }: HistoryRow): string {
  return step === undefined
    ? describeSnapshot(snapshot)
    : `step ${step} · ${describePaths(snapshot.changes)}`;
}

function rowName({ listed, pending, head, marked, nowMs }: HistoryRowOptions): string {
  if (listed === undefined) {
    return `now, ${pending === undefined ? 'no files changed' : spellCounts(pending)} since the last snapshot`;
  }
  const { snapshot, changes, steps } = listed;
  const parts = [
    nameRow(listed),
    spellCounts(changes),
    steps.length === 0 ? '' : countSteps(listed),
    clockTime(snapshot.takenAtMs, nowMs),
    ...snapshot.tags.map((tag) => `tag ${plainLine(tag, 80)}`),
    head ? 'current' : '',
    marked ? 'marked' : '',
  ];
  return parts.filter((part) => part !== '').join(', ');
}
