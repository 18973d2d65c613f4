import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { SnapshotInfo } from '../../../protocol/sandbox/history.ts';
import { act } from '../model/actions.ts';
import { timelineRows } from '../model/history-rows.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { RuntimeOffer } from '../model/move-state.ts';
import type { Preferences } from '../model/preferences.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { SandboxState } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { panelStyles, sharedStyles } from '../shared.styles.ts';
import { describeSnapshot, plainLine } from '../text/describe-snapshot.ts';
import { machineBar } from './machine-bar.ts';
import { sandboxPaneStyles } from './sandbox-pane.styles.ts';
import type { TerminalView } from './terminal-view.ts';

const mostTerminals = 8;
const offeredSnapshots = 3;

interface Tab {
  readonly key: number;
  readonly title: string;
}

/** One machine: its terminals as tabs, the progress of its start, and its error, if there is one. */
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

  /** The process of the visible shell, while one runs. */
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
        ${this.closable ? html`<h2 class="name ellipsis" title=${name}>${name || 'sandbox'}${this.model.host && html` · on ${this.model.host.name}`}</h2>` : nothing}
        <div role="tablist" aria-label="Terminals" @keydown=${this.#onTabKey}>
          ${this.#tabs.map((tab, index) => this.#renderTab(tab, index))}
        </div>
        <button
          class="icon"
          aria-label="New terminal"
          title="New terminal"
          ?disabled=${state.phase !== 'ready' || this.#tabs.length >= mostTerminals}
          @click=${this.addTerminal}
        >
          +
        </button>
        ${this.#tabs.length > 1 ? this.#renderCloseTab() : nothing}
        ${
          this.closable
            ? html`<button
              class="close outlined"
              aria-label=${`Close pane ${name}`}
              title="Close this pane; its sandbox stays"
              @click=${() => act(this, { type: 'close-pane', pane: this.model })}
            >
              Close<span class="wide">pane</span>
            </button>`
            : nothing
        }
      </header>
      ${this.#renderState(state)}
      ${repeat(
        this.#tabs,
        (tab) => tab.key,
        (tab, index) => html`<coppice-terminal
          id=${`terminal-${tab.key}`}
          role="tabpanel"
          aria-label=${`Terminal ${index + 1}`}
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
      class="icon"
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
            <span>Open in another tab. Here you can look at it, and not change it.</span>
            <button class="outlined" @click=${() => act(this, { type: 'fork-busy' })}>Fork it into this tab</button>
            <button class="outlined" @click=${() => act(this, { type: 'reopen' })}>Try again</button>
          </div>`
          : nothing
      }
      ${state.machine === undefined || (state.move !== undefined && state.machine.stage !== 'loading') ? nothing : machineBar(this, state.machine)}
      ${state.offer === undefined ? nothing : this.#renderOffer(state.offer)}
      ${state.move === undefined ? nothing : html`<coppice-move .move=${state.move}></coppice-move>`}
      ${this.#isElsewhere(state) ? this.#renderElsewhere(state) : this.#renderFailure(state)}
      <coppice-problem .error=${state.captureStopped}>
        <button class="outlined" @click=${() => act(this, { type: 'collect-garbage' })}>Free unused storage</button>
        <button class="outlined" @click=${() => act(this, { type: 'export', ref: 'now' })}>Download files</button>
      </coppice-problem>
      <coppice-problem
        .error=${state.problems.terminal}
        dismissible
        @dismiss=${() => this.model.dismiss('terminal')}
      ></coppice-problem>
    `;
  }

  #renderOffer({ command, reasons, other, ...can }: RuntimeOffer): TemplateResult {
    const there = other
      ? ` ${plainLine(other.host, 60)} has what it needs in ${plainLine(other.image, 60)}: a new sandbox there gets the files of your home.`
      : '';
    const { image, bridge } = other ?? {};
    return html`<div class="banner" role="status">
      <span>“${plainLine(command, 40)}”: ${reasons.join('; ')}.${there}</span>
      ${
        can.inMachine
          ? html`<button class="outlined" @click=${() => act(this, { type: 'run-in-machine' })}>Run in a machine</button>`
          : nothing
      }
      ${can.isForGit ? html`<button class="outlined" @click=${this.#openGit}>Open git</button>` : nothing}
      ${
        can.onHost || image !== undefined
          ? html`<button class="outlined" @click=${() => act(this, { type: 'run-on-host', image, bridge })}>
              ${image === undefined ? 'Run on host' : `Run in ${plainLine(image, 60)}`}
            </button>`
          : nothing
      }
      <button @click=${() => act(this, { type: 'dismiss-offer' })}>Not now</button>
      <button @click=${() => act(this, { type: 'stop-offers' })}>Never suggest</button>
    </div>`;
  }

  #openGit(): void {
    this.model.showOffer(undefined);
    act(this, { type: 'focus', region: 'git' });
  }

  /** A sandbox that another tab has open is not a failure, unlike a bridge that is busy. */
  #isElsewhere({ phase, failure }: SandboxState): boolean {
    return phase === 'failed' && failure?.code === 'busy' && this.model.host === undefined;
  }

  #renderElsewhere({ info }: SandboxState): TemplateResult {
    const name = info === undefined ? 'This sandbox' : `“${plainLine(info.name, 60)}”`;
    return html`<section class="elsewhere" role="status">
      <h2>${name} is open in another tab</h2>
      <p>One tab at a time can change it. You can go on with it there, or choose what to do here.</p>
      <ul>
        <li>
          <button class="primary" @click=${() => act(this, { type: 'fork-busy' })}>Fork it into this tab</button>
          <span class="muted">a second sandbox that goes on from its last snapshot</span>
        </li>
        <li>
          <button class="outlined" @click=${() => act(this, { type: 'open-read-only' })}>Look only</button>
          <span class="muted">its history and files, without changing them</span>
        </li>
        <li>
          <button class="outlined" @click=${() => act(this, { type: 'reopen' })}>Open it here</button>
          <span class="muted">once the other tab is closed</span>
        </li>
        <li>
          <button class="outlined" @click=${() => act(this, { type: 'choose-sandbox' })}>New sandbox</button>
        </li>
      </ul>
    </section>`;
  }

  #renderFailure(state: SandboxState): TemplateResult {
    return html`<coppice-problem .error=${state.phase === 'failed' ? state.failure : undefined}>
      ${this.#renderOffers(state)}
    </coppice-problem>`;
  }

  #renderOffers(state: SandboxState): TemplateResult {
    const stored = state.failure?.details.sandbox;
    const { host } = this.model;
    const latest = timelineRows(state).slice(-offeredSnapshots).reverse();
    return html`
      ${latest.map(({ snapshot }, index) => this.#renderGoBack(snapshot, index))}
      ${host !== undefined && state.failure?.code === 'unauthenticated' ? this.#renderTokenButton(host) : nothing}
      <button class="outlined" @click=${() => act(this, { type: 'reopen' })}>
        ${host === undefined ? 'Try again' : 'Connect again'}
      </button>
      ${
        typeof stored === 'string'
          ? html`<button class="outlined" @click=${() => act(this, { type: 'export-stored', sandbox: stored })}>
            Download what is here
          </button>`
          : nothing
      }
      <button class="outlined" @click=${() => act(this, { type: 'choose-sandbox' })}>New sandbox</button>
    `;
  }

  #renderTokenButton({ url }: HostPlace): TemplateResult {
    return html`<button class="primary" @click=${() => act(this, { type: 'open-bridges', bridge: url })}>
      Enter a token
    </button>`;
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
