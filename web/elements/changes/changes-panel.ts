import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import type { Change } from '../../../protocol/sandbox/history.ts';
import type { TreeRef } from '../../../protocol/sandbox/refs.ts';
import { act } from '../model/actions.ts';
import { type Comparison, pickComparison } from '../model/pick-comparison.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { type Comparing, findSnapshot, type SandboxState } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import {
  describeSnapshot,
  explainCoverage,
  plainLine,
  summarizeCoverage,
} from '../text/describe-snapshot.ts';
import { formatBytes } from '../text/format-bytes.ts';
import { clockTime } from '../text/relative-time.ts';
import { changesPanelStyles } from './changes-panel.styles.ts';
import { type FileVersions, readChanges, readVersions } from './comparison-reader.ts';

const signs = { created: '+', modified: 'M', deleted: '−', renamed: 'R', metadata: 'm' } as const;
/** Rows that each "show more" adds. */
const filesPerPage = 300;
/** How long the previous list stays visible while two other states are compared. */
const staleListMs = 150;

/** Which files differ between two states of a sandbox, and how. Fires `path` (a `CustomEvent`) with the file whose diff is shown, or with none. */
export class ChangesPanel extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    others: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, changesPanelStyles];

  declare model: SandboxModel | undefined;
  /** The sandboxes of the other panes, to compare with. */
  declare others: readonly SandboxModel[];
  #read = '';
  /** `undefined` while the changes are loading. */
  #changes: readonly Change[] | undefined;
  #shown: Change | undefined;
  #versions: FileVersions | undefined;
  #listed = filesPerPage;
  /** The file whose diff is shown once it is in the list. */
  #wanted: string | undefined;

  constructor() {
    super();
    this.others = [];
    new Watch(this, () => this.model);
    new Watch(this, () => this.#beside());
  }

  override focus(): void {
    const pressed = this.renderRoot.querySelector<HTMLElement>('button[aria-pressed=true]');
    (pressed ?? this.renderRoot.querySelector<HTMLElement>('.files button'))?.focus();
  }

  /** Shows the diff of a file, now or once the changes with it are there. */
  showFile(path: string): void {
    this.#wanted = path;
    const change = this.#changes?.find((each) => each.path === path);
    if (change !== undefined) this.#show(change);
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

  /** Loads the changes again when another pair is compared, or when one side is now and has changed. */
  override updated(): void {
    const { model } = this;
    if (model?.connection === undefined || model.state.history === undefined) return;
    const compared = pickComparison(model.state, this.#beside());
    const states = compared.beside === undefined ? [model.state] : [model.state, compared.beside.state];
    const facts = states.map(({ info, history }) => [info?.id, history?.head, history?.pending]);
    const pair = JSON.stringify([compared.from, compared.to, states.map(({ info }) => info?.id)]);
    const wanted = pair + JSON.stringify(facts);
    if (wanted === this.#read) return;
    const isOther = !this.#read.startsWith(pair);
    this.#read = wanted;
    void this.#readAgain(model, compared, { wanted, isOther });
  }

  #renderCompared(state: SandboxState): TemplateResult {
    const { selected, marked } = state;
    const compared = pickComparison(state, this.#beside());
    const snapshot = findSnapshot(state, selected);
    const withMark = marked !== undefined && marked !== selected;
    const withOthers = this.others.some((other) => other.state.info !== undefined);
    const what = compared.beside === undefined ? 'changed' : 'different';
    const there = compared.beside === undefined ? '' : `${nameOfSandbox(compared.beside)}: `;
    return html`<div class="compared">
      <div class="summary">
        <strong role="status"
          >${this.#changes === undefined ? 'Comparing …' : `${spellFiles(this.#changes)} ${what}`}</strong
        >
        ${
          selected !== 'now' || withMark || withOthers
            ? html`<span class="segments" role="group" aria-label="Compare">
              ${this.#renderSegment('step', selected === 'now' ? 'since the last' : 'in this step')}
              ${selected === 'now' ? nothing : this.#renderSegment('since', 'since then')}
              ${withMark ? this.#renderSegment('marked', 'from the marked') : nothing}
              ${this.others.map((other) =>
                other.state.info === undefined
                  ? nothing
                  : this.#renderSegment('beside', `with ${nameOfSandbox(other)}`, other.state.info.id),
              )}
            </span>`
            : nothing
        }
      </div>
      <dl class="muted">
        <dt>from</dt>
        <dd class="ellipsis">${there}${nameOf(compared.beside?.state ?? state, compared.from)}</dd>
        <dt>to</dt>
        <dd class="ellipsis">${there === '' || state.info === undefined ? '' : `${plainLine(state.info.name, 40)}: `}${nameOf(state, compared.to)}</dd>
        ${
          snapshot === undefined
            ? nothing
            : html`<dt>holds</dt>
              <dd>
                <details>
                  <summary>${summarizeCoverage(snapshot.coverage)}</summary>
                  <ul>
                    ${explainCoverage(snapshot.coverage).map((line) => html`<li>${line}</li>`)}
                  </ul>
                </details>
              </dd>`
        }
      </dl>
    </div>`;
  }

  /** The sandbox of another pane that is compared with, while it is open. */
  #beside(): SandboxModel | undefined {
    const { comparing, beside } = this.model?.state ?? {};
    return comparing === 'beside' ? this.others.find((other) => other.state.info?.id === beside) : undefined;
  }

  #renderSegment(comparing: Comparing, label: string, beside?: string): TemplateResult {
    const state = this.model?.state;
    const isPressed = state?.comparing === comparing && (beside === undefined || state.beside === beside);
    return html`<button
      class="outlined"
      aria-pressed=${isPressed}
      @click=${() => act(this, { type: 'compare', comparing, beside })}
    >
      <span class="ellipsis">${label}</span>
    </button>`;
  }

  #renderFiles(): TemplateResult | typeof nothing {
    if (this.#changes === undefined) return nothing;
    const more = this.#changes.length - this.#listed;
    if (this.#changes.length === 0) return html`<p class="empty muted">No differences.</p>`;
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
        ?disabled=${change.isDirectory === true}
        title=${`${change.type} ${path}${from}`}
        @click=${() => this.#show(change)}
      >
        <span class=${`sign ${change.type}`} aria-hidden="true">${signs[change.type]}</span>
        <span class="hidden-text">${change.type}</span>
        <span class="path ellipsis">${path}${change.isDirectory ? '/' : ''}</span>
        ${change.isDirectory ? nothing : html`<span class="size number muted">${formatBytes(change.sizeBytes)}</span>`}
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

  async #readAgain(
    model: SandboxModel,
    compared: Comparison,
    { wanted, isOther }: { readonly wanted: string; readonly isOther: boolean },
  ): Promise<void> {
    const stale = isOther ? setTimeout(() => this.#forget(wanted), staleListMs) : undefined;
    const changes = await model.attempt('changes', (connection) => readChanges(connection, compared));
    clearTimeout(stale);
    if (wanted !== this.#read) return;
    this.#changes = changes ?? [];
    this.#listed = filesPerPage;
    const shown = this.#wanted ?? this.#shown?.path;
    this.#show(this.#changes.find((change) => change.path === shown));
  }

  /** Clears the previous list, unless another comparison was requested since. */
  #forget(wanted: string): void {
    if (wanted !== this.#read) return;
    this.#changes = undefined;
    this.requestUpdate();
  }

  #show(change: Change | undefined): void {
    if (change !== undefined) this.#wanted = undefined;
    if (change?.path !== this.#shown?.path)
      this.dispatchEvent(new CustomEvent('path', { detail: change?.path }));
    this.#shown = change;
    if (change === undefined) this.#versions = undefined;
    else void this.#readFile(change);
    this.requestUpdate();
  }

  async #readFile(change: Change): Promise<void> {
    const { model } = this;
    if (model === undefined) return;
    const compared = pickComparison(model.state, this.#beside());
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

function nameOfSandbox(model: SandboxModel): string {
  return plainLine(model.state.info?.name ?? '', 40);
}

/** The number of listed files; directories in the list do not count. */
function spellFiles(changes: readonly Change[]): string {
  const files = changes.filter(({ isDirectory }) => isDirectory !== true).length;
  const directories = changes.length - files;
  if (files === 0 && directories > 0) return directories === 1 ? '1 directory' : `${directories} directories`;
  return files === 1 ? '1 file' : `${files} files`;
}

function nameOf(state: SandboxState, ref: TreeRef | undefined): string {
  if (ref === 'now') return 'now';
  const snapshot = findSnapshot(state, ref);
  if (snapshot === undefined) return 'nothing';
  return `${clockTime(snapshot.takenAtMs, Date.now())} · ${describeSnapshot(snapshot)}`;
}
