import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { Change, SandboxConnection, TreeRef } from '../../../protocol/sandbox.ts';
import { act } from '../model/actions.ts';
import { type Comparison, pickComparison } from '../model/pick-comparison.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { type Comparing, findSnapshot, type SandboxState } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import { describeCoverage, describeSnapshot, plainLine } from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { clockTime } from '../text/relative-time.ts';
import { changesPanelStyles } from './changes-panel.styles.ts';
import { type FileVersions, readChanges, readVersions } from './comparison-reader.ts';

const signs = { created: '+', modified: 'M', deleted: '−', renamed: 'R', metadata: 'm' } as const;
/** The list grows by as many. */
const filesPerPage = 300;

/** Which files differ between two states of a sandbox, and how. */
export class ChangesPanel extends LitElement {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, changesPanelStyles];

  declare model: SandboxModel | undefined;
  #read = '';
  #changes: readonly Change[] = [];
  #shown: Change | undefined;
  #versions: FileVersions | undefined;
  #listed = filesPerPage;

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override focus(): void {
    this.renderRoot.querySelector<HTMLElement>('button[aria-pressed], .files button')?.focus();
  }

  override render(): TemplateResult | typeof nothing {
    const { model } = this;
    if (model?.state.history === undefined) return nothing;
    return html`
      ${this.#renderCompared(model.state)}
      <coppice-problem
        .error=${model.state.problems.changes}
        dismissible
        @dismiss=${() => model.dismiss('changes')}
      ></coppice-problem>
      ${this.#renderFiles()}
      ${this.#shown === undefined ? nothing : this.#renderFile(this.#shown)}
    `;
  }

  /** Reads again when another pair is compared or one of the pair is now and has changed. */
  override updated(): void {
    const { model } = this;
    if (model?.connection === undefined || model.state.history === undefined) return;
    const compared = pickComparison(model.state);
    const now = compared.to === 'now' ? model.state.history.pending : undefined;
    const wanted = JSON.stringify([model.state.info?.id, compared, now, model.state.history.head]);
    if (wanted === this.#read) return;
    this.#read = wanted;
    void this.#readAgain(model, compared, wanted);
  }

  #renderCompared(state: SandboxState): TemplateResult {
    const { selected, marked, comparing } = state;
    const compared = pickComparison(state);
    const snapshot = findSnapshot(state, selected);
    const withMark = marked !== undefined && marked !== selected;
    const count = this.#changes.length;
    return html`<div class="compared">
      <div class="summary">
        <strong role="status">${count} ${count === 1 ? 'file' : 'files'} changed</strong>
        ${
          selected !== 'now' || withMark
            ? html`<span class="segments" role="group" aria-label="Compare">
              ${this.#renderSegment('step', selected === 'now' ? 'since the last' : 'in this step', comparing)}
              ${selected === 'now' ? nothing : this.#renderSegment('since', 'since then', comparing)}
              ${withMark ? this.#renderSegment('marked', 'from the marked', comparing) : nothing}
            </span>`
            : nothing
        }
      </div>
      <dl class="muted">
        <dt>from</dt>
        <dd class="ellipsis">${nameOf(state, compared.from)}</dd>
        <dt>to</dt>
        <dd class="ellipsis">${nameOf(state, compared.to)}</dd>
        ${
          snapshot === undefined
            ? nothing
            : html`<dt>holds</dt>
              <dd>${describeCoverage(snapshot.coverage)}</dd>`
        }
      </dl>
    </div>`;
  }

  #renderSegment(comparing: Comparing, label: string, current: Comparing): TemplateResult {
    return html`<button
      aria-pressed=${comparing === current}
      @click=${() => act(this, { type: 'compare', comparing })}
    >
      ${label}
    </button>`;
  }

  #renderFiles(): TemplateResult {
    const more = this.#changes.length - this.#listed;
    if (this.#changes.length === 0) return html`<p class="empty muted">No file differs.</p>`;
    return html`<ul class=${this.#shown === undefined ? 'files alone' : 'files'} aria-label="Changed files">
      ${this.#changes.slice(0, this.#listed).map((change) => this.#renderChange(change))}
      ${more > 0 ? html`<li><button @click=${this.#listMore}>Show ${more} more</button></li>` : nothing}
    </ul>`;
  }

  #renderChange(change: Change): TemplateResult {
    const path = plainLine(change.path, 1_000);
    const from = change.from === undefined ? '' : ` from ${plainLine(change.from, 1_000)}`;
    return html`<li>
      <button
        aria-current=${change.path === this.#shown?.path}
        title=${`${change.type} ${path}${from}`}
        @click=${() => this.#show(change)}
      >
        <span class=${`sign ${change.type}`} aria-hidden="true">${signs[change.type]}</span>
        <span class="hidden-text">${change.type}</span>
        <span class="path ellipsis">${path}</span>
        <span class="size number muted">${formatBytes(change.sizeBytes)}</span>
      </button>
    </li>`;
  }

  #renderFile(change: Change): TemplateResult {
    return html`
      <div class="file-title">
        <h3 class="ellipsis">${plainLine(change.path.slice(change.path.lastIndexOf('/') + 1), 200)}</h3>
        <span class="muted">${change.type}</span>
        <button class="icon" aria-label="Close the diff" @click=${() => this.#show(undefined)}>×</button>
      </div>
      ${
        this.#versions === undefined
          ? nothing
          : html`<coppice-diff .oldBytes=${this.#versions.before} .newBytes=${this.#versions.after}></coppice-diff>`
      }
    `;
  }

  async #readAgain(model: SandboxModel, compared: Comparison, wanted: string): Promise<void> {
    const changes = await model.attempt('changes', (connection) => readChanges(connection, compared));
    if (wanted !== this.#read) return;
    this.#changes = changes ?? [];
    this.#listed = filesPerPage;
    this.#show(this.#changes.find((change) => change.path === this.#shown?.path));
  }

  #show(change: Change | undefined): void {
    this.#shown = change;
    if (change === undefined) this.#versions = undefined;
    else void this.#readFile(change);
    this.requestUpdate();
  }

  async #readFile(change: Change): Promise<void> {
    const { model } = this;
    if (model === undefined) return;
    const compared = pickComparison(model.state);
    const read = (connection: SandboxConnection): Promise<FileVersions> =>
      readVersions(connection, change, compared);
    const versions = await model.attempt('changes', read);
    if (change !== this.#shown) return;
    this.#versions = versions;
    this.requestUpdate();
  }

  #listMore(): void {
    this.#listed += filesPerPage;
    this.requestUpdate();
  }
}

function nameOf(state: SandboxState, ref: TreeRef | undefined): string {
  if (ref === 'now') return 'now';
  const snapshot = findSnapshot(state, ref);
  if (snapshot === undefined) return 'nothing';
  return `${clockTime(snapshot.takenAtMs, Date.now())} · ${describeSnapshot(snapshot)}`;
}
