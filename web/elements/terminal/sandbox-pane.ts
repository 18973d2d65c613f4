import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { SnapshotInfo } from '../../../protocol/sandbox.ts';
import { act } from '../model/actions.ts';
import type { RuntimeOffer } from '../model/move-state.ts';
import type { Preferences } from '../model/preferences.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { type SandboxState, visibleSnapshots } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import { describeSnapshot, plainLine } from '../text/describe-snapshot.ts';
import { sandboxPaneStyles } from './sandbox-pane.styles.ts';
import type { TerminalView } from './terminal-view.ts';

const mostTerminals = 8;
const offeredSnapshots = 3;

interface Tab {
  readonly key: number;
  readonly title: string;
}

/** One machine: its terminals as tabs, what its start is doing, and what is wrong with it, if anything is. */
export class SandboxPane extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    preferences: { attribute: false },
    closable: { type: Boolean },
    active: { type: Boolean, reflect: true },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, panelStyles, sandboxPaneStyles];

  declare model: SandboxModel;
  declare preferences: Preferences;
  declare closable: boolean;
  declare active: boolean;
  #tabs: readonly Tab[] = [{ key: 1, title: '' }];
  #shown = 1;
  #nextKey = 2;

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override focus(): void {
    this.#shownTerminal()?.focus();
  }

  /** The process of the shell that is looked at, while one runs. */
  get shellPid(): number | undefined {
    return this.#shownTerminal()?.shellPid;
  }

  /** Opens one more terminal and shows it. */
  async addTerminal(): Promise<void> {
    if (this.#tabs.length >= mostTerminals) return;
    const key = this.#nextKey++;
    this.#tabs = [...this.#tabs, { key, title: '' }];
    this.#show(key);
    await this.updateComplete;
    this.focus();
  }

  override render(): TemplateResult {
    const { state } = this.model;
    const name = plainLine(state.info?.name ?? '', 60);
    return html`
      <header>
        ${this.closable ? html`<h2 class="name ellipsis">${name}${this.model.host && html` · on ${this.model.host.name}`}</h2>` : nothing}
        <div role="tablist" aria-label="Terminals" @keydown=${this.#onTabKey}>
          ${this.#tabs.map((tab, index) => this.#renderTab(tab, index))}
          <button
            class="icon"
            aria-label="New terminal"
            title="New terminal"
            ?disabled=${state.phase !== 'ready' || this.#tabs.length >= mostTerminals}
            @click=${this.addTerminal}
          >
            +
          </button>
        </div>
        ${this.#tabs.length > 1 ? this.#renderCloseTab() : nothing}
        ${
          this.closable
            ? html`<button
              class="close"
              aria-label=${`Close pane ${name}`}
              title="Close this pane; its sandbox stays"
              @click=${() => act(this, { type: 'close-pane', pane: this.model })}
            >
              Close pane
            </button>`
            : nothing
        }
      </header>
      ${this.#renderState(state)}
      ${repeat(
        this.#tabs,
        (tab) => tab.key,
        (tab) => html`<coppice-terminal
          id=${`terminal-${tab.key}`}
          role="tabpanel"
          ?hidden=${tab.key !== this.#shown}
          .model=${this.model}
          .preferences=${this.preferences}
          @title=${(event: CustomEvent<string>) => this.#setTitle(tab.key, event.detail)}
        ></coppice-terminal>`,
      )}
    `;
  }

  #renderTab(tab: Tab, index: number): TemplateResult {
    const shown = tab.key === this.#shown;
    const label = tab.title === '' ? `Terminal ${index + 1}` : `${index + 1} ${tab.title}`;
    return html`<button
      role="tab"
      aria-selected=${shown}
      tabindex=${shown ? 0 : -1}
      @click=${() => this.#show(tab.key)}
    >
      <span class="ellipsis">${label}</span>
    </button>`;
  }

  #renderCloseTab(): TemplateResult {
    return html`<button
      class="icon close"
      aria-label="Close this terminal"
      title="Close this terminal"
      @click=${this.#closeShown}
    >
      ×
    </button>`;
  }

  #renderState(state: SandboxState): TemplateResult {
    const starting = state.phase === 'starting' || state.phase === 'moving';
    return html`
      ${starting ? html`<coppice-progress .progress=${state.progress}></coppice-progress>` : nothing}
      ${
        state.readOnly && state.phase === 'ready'
          ? html`<div class="banner" role="status">
            Another tab holds this sandbox, so it can only be looked at here.
            <button class="outlined" @click=${() => act(this, { type: 'fork-busy' })}>Fork it</button>
            <button @click=${() => act(this, { type: 'reopen' })}>Try to take it over</button>
          </div>`
          : nothing
      }
      ${state.offer === undefined ? nothing : this.#renderOffer(state.offer)}
      ${state.move === undefined ? nothing : html`<coppice-move .move=${state.move}></coppice-move>`}
      <coppice-problem .error=${state.phase === 'failed' ? state.failure : undefined}>
        ${this.#renderOffers(state)}
      </coppice-problem>
      <coppice-problem .error=${state.captureStopped}>
        <button class="outlined" @click=${() => act(this, { type: 'collect-garbage' })}>Free what is unused</button>
        <button class="outlined" @click=${() => act(this, { type: 'export', ref: 'now' })}>Download files</button>
      </coppice-problem>
      <coppice-problem
        .error=${state.problems.terminal}
        dismissible
        @dismiss=${() => this.model.dismiss('terminal')}
      ></coppice-problem>
    `;
  }

  #renderOffer({ command, reasons, other }: RuntimeOffer): TemplateResult {
    const there = other
      ? ` ${plainLine(other.host, 60)} has them in ${plainLine(other.image, 60)}: a new sandbox there gets the files of your home.`
      : '';
    const { image, bridge } = other ?? {};
    return html`<div class="banner" role="status">
      <span>“${plainLine(command, 40)}”: ${reasons.join('; ')}.${there}</span>
      <button class="outlined" @click=${() => act(this, { type: 'run-on-host', image, bridge })}>
        ${image === undefined ? 'Run on host' : `Run in ${plainLine(image, 60)}`}
      </button>
      <button @click=${() => act(this, { type: 'dismiss-offer' })}>Not now</button>
      <button @click=${() => act(this, { type: 'stop-offers' })}>Never suggest</button>
    </div>`;
  }

  #renderOffers(state: SandboxState): TemplateResult {
    if (state.failure?.code === 'busy') {
      return html`
        <button class="primary" @click=${() => act(this, { type: 'open-read-only' })}>Open to look only</button>
        <button class="outlined" @click=${() => act(this, { type: 'fork-busy' })}>Fork it</button>
        <button class="outlined" @click=${() => act(this, { type: 'reopen' })}>Try again</button>
      `;
    }
    const stored = state.failure?.details.sandbox;
    const latest = visibleSnapshots(state).slice(-offeredSnapshots).reverse();
    return html`
      ${latest.map((snapshot, index) => this.#renderGoBack(snapshot, index))}
      <button class="outlined" @click=${() => act(this, { type: 'reopen' })}>Try again</button>
      ${
        typeof stored === 'string'
          ? html`<button class="outlined" @click=${() => act(this, { type: 'export-stored', sandbox: stored })}>
            Download what is here
          </button>`
          : nothing
      }
      <button class="outlined" @click=${() => act(this, { type: 'new-sandbox' })}>New sandbox</button>
    `;
  }

  #renderGoBack(snapshot: SnapshotInfo, index: number): TemplateResult {
    return html`<button
      class=${index === 0 ? 'primary' : 'outlined'}
      @click=${() => act(this, { type: 'checkout', id: snapshot.id })}
    >
      Go back to ${describeSnapshot(snapshot).slice(0, 40)}
    </button>`;
  }

  #onTabKey(event: KeyboardEvent): void {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const index = this.#tabs.findIndex((tab) => tab.key === this.#shown) + step;
    const next = this.#tabs[(index + this.#tabs.length) % this.#tabs.length];
    if (step === 0 || next === undefined) return;
    this.#show(next.key);
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>('[role=tab][aria-selected=true]')?.focus(),
    );
  }

  #closeShown(): void {
    const index = this.#tabs.findIndex((tab) => tab.key === this.#shown);
    this.#tabs = this.#tabs.filter((tab) => tab.key !== this.#shown);
    this.#show(this.#tabs[Math.max(0, index - 1)]?.key ?? 1);
  }

  #setTitle(key: number, title: string): void {
    this.#tabs = this.#tabs.map((tab) => (tab.key === key ? { key, title } : tab));
    this.requestUpdate();
  }

  #shownTerminal(): TerminalView | null {
    return this.renderRoot.querySelector<TerminalView>('coppice-terminal:not([hidden])');
  }

  #show(key: number): void {
    this.#shown = key;
    this.requestUpdate();
  }
}
