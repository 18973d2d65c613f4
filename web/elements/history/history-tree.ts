import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { styleMap } from 'lit/directives/style-map.js';
import type { SnapshotId } from '../../../tree/history/snapshot-record.ts';
import { act } from '../model/actions.ts';
import { type HistoryRow, historyRows } from '../model/history-rows.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { WayBack } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import { clockTime } from '../text/relative-time.ts';
import { moveInHistory } from './history-keys.ts';
import { historyRow } from './history-row.ts';
import { historyTreeStyles } from './history-tree.styles.ts';
import { countLanes, laneWidthPx, rowHeightPx } from './lane-graph.ts';
import { type LaneNode, type LaneRow, layoutLanes } from './layout-lanes.ts';
import type { SnapshotPreview } from './snapshot-preview.ts';

const overscanRows = 8;
/** Fewer snapshots than this always fit on the screen. */
const fewestToSearch = 4;
/** How often relative times are updated; the page does not count seconds. */
const refreshMs = 20_000;

const keyActions: { readonly [key: string]: 'go-back' | 'fork' | 'mark' | 'remove' | 'tag' | 'compare' } = {
  Enter: 'go-back',
  f: 'fork',
  m: 'mark',
  t: 'tag',
  d: 'compare',
  Delete: 'remove',
};

/**
 * The history of one sandbox as a tree to walk with the keyboard: arrows move, and open and close a row's steps, Enter
 * goes back, F forks, T tags, M marks, D compares with the marked one, Delete forgets. Keys mean that only while a row
 * has the focus, which is always drawn. Only the rows in sight are in the document.
 */
export class HistoryTree extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    singleKeys: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, historyTreeStyles];

  declare model: SandboxModel | undefined;
  /** Whether single-letter shortcuts are on (WCAG 2.1.4). */
  declare singleKeys: boolean;
  #rows: readonly LaneRow[] = [];
  #newestFirst: readonly LaneNode[] = [];
  #byId: ReadonlyMap<string, HistoryRow> = new Map();
  /** The parts of the state from which the rows were computed. */
  #laidOut: readonly unknown[] = [];
  #lanes = 1;
  #scrollTop = 0;
  #viewHeight = 600;
  #tagging = false;
  #hovering: ReturnType<typeof setTimeout> | undefined;
  /** The row under the pointer, and the pointer's last position in the window. */
  #hovered: EventTarget | null = null;
  #pointer = { x: 0, y: 0 };
  #clock: ReturnType<typeof setInterval> | undefined;
  readonly #resize = new ResizeObserver(() => this.#measure());

  constructor() {
    super();
    this.singleKeys = true;
    new Watch(this, () => this.model);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#clock = setInterval(() => this.requestUpdate(), refreshMs);
    this.#resize.observe(this);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearInterval(this.#clock);
    clearTimeout(this.#hovering);
    this.#resize.disconnect();
  }

  /** Moves the focus to the selected row. */
  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('[role=treeitem][tabindex="0"]')?.focus();
  }

  override willUpdate(): void {
    const state = this.model?.state;
    const history = state?.history;
    if (state === undefined || history === undefined) {
      this.#rows = [];
      this.#laidOut = [];
      return;
    }
    const { hidden, opened, counted, selected, search, filter } = state;
    const parts = [history, hidden, opened, counted, selected, search, filter];
    if (parts.every((part, index) => part === this.#laidOut[index])) return;
    this.#laidOut = parts;
    const newestFirst = historyRows(state).toReversed();
    this.#newestFirst = newestFirst.map(({ snapshot, parents }) => ({ id: snapshot.id, parents }));
    this.#byId = new Map(newestFirst.map((row) => [row.snapshot.id, row]));
    this.#rows = layoutLanes(this.#newestFirst, history.head);
    this.#lanes = countLanes(this.#rows);
  }

  override render(): TemplateResult {
    const state = this.model?.state;
    const count = this.#newestFirst.length;
    return html`
      <header>
        <h2 id="title">History</h2>
        <span class="muted number">${count > 0 ? count : ''}</span>
        <button ?disabled=${state?.phase !== 'ready' || state.readOnly} @click=${this.#snapshot}>Snapshot</button>
      </header>
      ${
        (state?.history?.snapshots.length ?? 0) < fewestToSearch
          ? nothing
          : html`<coppice-history-search
            .state=${state}
            .found=${count}
            @down=${this.focus}
          ></coppice-history-search>`
      }
      <coppice-problem
        .error=${state?.problems.history}
        dismissible
        @dismiss=${() => this.model?.dismiss('history')}
      ></coppice-problem>
      ${state?.wayBack === undefined ? nothing : this.#renderWayBack(state.wayBack)}
      <div class="scroller" @scroll=${this.#onScroll}>${this.#renderTree()}${this.#renderHint()}</div>
      ${this.#renderActions()}
      <coppice-snapshot-preview popover="auto" @pointerleave=${() => this.#hover(undefined, undefined)}>
      </coppice-snapshot-preview>
    `;
  }

  /** The way back, which remains after its notice has gone. */
  #renderWayBack({ atMs }: WayBack): TemplateResult {
    return html`<div class="way-back">
      <span class="ellipsis number">Went back at ${clockTime(atMs, Date.now())}</span>
      <button
        class="outlined"
        aria-label="Undo going back"
        @click=${() => act(this, { type: 'undo-going-back' })}
      >
        Undo
      </button>
      <button class="icon" aria-label="Forget the way back" @click=${() => act(this, { type: 'dismiss-way-back' })}>
        ×
      </button>
    </div>`;
  }

  #renderTree(): TemplateResult {
    const height = `${this.#rows.length * rowHeightPx}px`;
    const current = this.#current();
    const isEmpty = this.#rows.length === 0; // A tree without items is none (ARIA, required owned elements).
    return html`<div
      role=${isEmpty ? nothing : 'tree'}
      aria-labelledby=${isEmpty ? nothing : 'title'}
      aria-describedby=${isEmpty ? nothing : 'keys'}
      style=${styleMap({ height })}
      @keydown=${this.#onKey}
    >
      <span id="keys" class="hidden-text">Right and left open and close steps, Enter goes back, F forks, T tags, M marks, D compares, Delete forgets.</span>
      ${repeat(
        this.#inSight(current),
        ({ row }) => row.id,
        ({ row, index }) => this.#renderRow(row, { index, current }),
      )}
    </div>`;
  }

  /** What a first visit sees, before there is a past to go back to. */
  #renderHint(): TemplateResult | typeof nothing {
    const { phase, readOnly, history } = this.model?.state ?? {};
    if (phase !== 'ready' || readOnly || (history?.snapshots.length ?? 0) > 1) return nothing;
    return html`<p class="hint muted">
      Each command that changes files adds a snapshot here. Select one to see its changes, and go back to it at any time.
      <a href="./demos/" target="_blank">Watch demos</a>
    </p>`;
  }

  #renderRow(row: LaneRow, options: { index: number; current: string }): TemplateResult {
    const state = this.model?.state;
    return historyRow(row, {
      index: options.index,
      count: this.#rows.length,
      current: row.id === options.current,
      listed: this.#byId.get(row.id),
      pending: state?.history?.pending,
      head: row.id === state?.history?.head,
      marked: row.id === state?.marked,
      graphWidth: this.#lanes * laneWidthPx + 4,
      nowMs: Date.now(),
      select: () => this.#select(row.id),
      toggleSteps: () => this.#toggleSteps(row.id),
      enter: () => this.#act('Enter', row.id),
      hover: (move) => this.#onHover(move, this.#byId.get(row.id)),
    });
  }

  #renderActions(): TemplateResult | typeof nothing {
    const snapshot = this.#byId.get(this.#current())?.snapshot;
    if (snapshot === undefined) return this.#isLive() ? this.#renderFork() : nothing;
    return html`<coppice-snapshot-actions
      .snapshot=${snapshot}
      .state=${this.model?.state}
      .tagging=${this.#tagging}
      @done=${() => this.#setTagging(false)}
    ></coppice-snapshot-actions>`;
  }

  /** The visible rows, and the current one even if it is not visible, so that the focus is never lost. */
  #inSight(current: string): { row: LaneRow; index: number }[] {
    const first = Math.max(0, Math.floor(this.#scrollTop / rowHeightPx) - overscanRows);
    const last = Math.ceil((this.#scrollTop + this.#viewHeight) / rowHeightPx) + overscanRows;
    return this.#rows.flatMap((row, index) =>
      (index >= first && index < last) || row.id === current ? [{ row, index }] : [],
    );
  }

  #current(): SnapshotId | 'now' {
    const selected = this.model?.state.selected ?? 'now';
    return selected !== 'now' && this.#byId.has(selected) ? selected : 'now';
  }

  /** The focus follows the tree's one tab stop when the selection moves elsewhere. */
  override updated(): void {
    const focused = this.shadowRoot?.activeElement;
    if (focused instanceof HTMLElement && focused.matches('[role=treeitem][tabindex="-1"]')) this.focus();
  }

  #select(id: SnapshotId | 'now'): void {
    this.#hover(undefined, undefined);
    this.#tagging = false;
    act(this, { type: 'select', ref: id });
  }

  #onKey(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const current = this.#current();
    const listed = this.#byId.get(current);
    const opensOrCloses = event.key === (listed?.isOpen ? 'ArrowLeft' : 'ArrowRight');
    if (listed && listed.steps.length > 0 && opensOrCloses) {
      event.preventDefault();
      this.#toggleSteps(current);
      return;
    }
    const head = this.model?.state.history?.head;
    if (head === undefined) return;
    const pageRows = Math.max(1, Math.floor(this.#viewHeight / rowHeightPx) - 1);
    if (event.key.length === 1 && !this.singleKeys) return;
    const options = { rows: this.#rows, newestFirst: this.#newestFirst, head, current, pageRows };
    const next = moveInHistory(event.key, options);
    if (next !== undefined) {
      event.preventDefault();
      this.#select(next);
      void this.#reveal(next);
    } else if (this.#act(event.key, current)) event.preventDefault();
  }

  /** The row stays the selected one, wherever it is then. */
  #toggleSteps(id: SnapshotId | 'now'): void {
    if (id === 'now') return;
    act(this, { type: 'toggle-steps', id });
    this.#select(id);
    void this.updateComplete.then(() => this.#reveal(id));
  }

  /** Whether what runs now can be forked. */
  #isLive(): boolean {
    const { phase, readOnly, checkpoints } = this.model?.state ?? {};
    return phase === 'ready' && !readOnly && checkpoints !== undefined && checkpoints.length > 0;
  }

  #renderFork(): TemplateResult {
    return html`<div role="toolbar" aria-label="Now">
      <button
        class="outlined"
        title="Another machine beside this one, that goes on from this instant with all that runs"
        @click=${() => act(this, { type: 'fork-running' })}
      >
        Fork with running programs
      </button>
    </div>`;
  }

  /** Handles `key` on a row; answers whether the key has a meaning. */
  #act(key: string, id: SnapshotId | 'now'): boolean {
    if (id === 'now') {
      if (key === 'Enter') act(this, { type: 'focus', region: 'terminal' });
      else if (key.toLowerCase() === 'f' && this.#isLive()) act(this, { type: 'fork-running' });
      else return false;
      return true;
    }
    const type = keyActions[key.length === 1 ? key.toLowerCase() : key];
    if (type === undefined) return false;
    if (type === 'tag') this.#setTagging(true);
    else if (type === 'go-back') act(this, { type, snapshot: id });
    else if (type === 'compare') act(this, { type, comparing: 'marked' });
    else act(this, { type, id });
    return true;
  }

  /** A row that moves under a resting pointer, as after a checkout, must not open its preview over the terminal. */
  #onHover(move: PointerEvent | undefined, listed: HistoryRow | undefined): void {
    if (move === undefined) {
      this.#hovered = null;
      this.#hover(undefined, undefined);
      return;
    }
    const { currentTarget: row, clientX: x, clientY: y } = move;
    const isAtRest = x === this.#pointer.x && y === this.#pointer.y;
    this.#pointer = { x, y };
    if (isAtRest || row === this.#hovered) return;
    this.#hovered = row;
    this.#hover(row as HTMLElement, listed);
  }

  #hover(row: HTMLElement | undefined, listed: HistoryRow | undefined): void {
    clearTimeout(this.#hovering);
    this.#hovering = setTimeout(() => this.#preview(row, listed), row === undefined ? 160 : 450);
  }

  async #preview(row: HTMLElement | undefined, listed: HistoryRow | undefined): Promise<void> {
    const preview = this.renderRoot.querySelector<SnapshotPreview>('coppice-snapshot-preview');
    if (preview === null) return;
    if (row === undefined || listed === undefined) {
      if (!preview.matches(':hover')) preview.hidePopover();
      return;
    }
    preview.snapshot = { ...listed.snapshot, changes: listed.changes };
    await preview.updateComplete;
    if (row.isConnected) preview.openBeside(row.getBoundingClientRect());
  }

  async #reveal(id: SnapshotId | 'now'): Promise<void> {
    const index = this.#rows.findIndex((row) => row.id === id);
    const scroller = this.renderRoot.querySelector('.scroller');
    if (scroller === null || index < 0) return;
    const top = index * rowHeightPx;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    const bottom = top + rowHeightPx - scroller.clientHeight;
    if (bottom > scroller.scrollTop) scroller.scrollTop = bottom;
    this.requestUpdate();
    await this.updateComplete;
    this.focus();
  }

  /** Opens the field for a tag of the selected snapshot. */
  startTagging(): void {
    if (this.model?.state.selected !== 'now') this.#setTagging(true);
  }

  #setTagging(tagging: boolean): void {
    this.#tagging = tagging;
    this.requestUpdate();
    if (!tagging) void this.updateComplete.then(() => this.focus());
  }

  #snapshot(): void {
    act(this, { type: 'snapshot' });
  }

  #onScroll(event: Event): void {
    this.#scrollTop = (event.target as HTMLElement).scrollTop;
    this.requestUpdate();
  }

  #measure(): void {
    this.#viewHeight = this.renderRoot.querySelector('.scroller')?.clientHeight ?? 600;
    this.requestUpdate();
  }
}
