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
import type { ReplaySource } from '../../transports/replay-link.ts';
import type { HistoryTree } from '../history/history-tree.ts';
import { type Action, actionEvent, type Region } from '../model/actions.ts';
import { explainPlace } from '../model/explain-place.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { KnownHost } from '../model/known-host.ts';
import type { PreferenceStore } from '../model/preferences.ts';
import { choiceLike, listChoices } from '../model/sandbox-choices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { Watch } from '../model/watch.ts';
import type { Workspace } from '../model/workspace.ts';
import type { HostPanel } from '../move/host-panel.ts';
import type { ReplayPanel } from '../replay/replay-panel.ts';
import type { SharedSnapshot } from '../share/share-link.ts';
import type { SharePanel } from '../share/share-panel.ts';
import { sharedStyles } from '../shared.styles.ts';
import type { SandboxPane } from '../terminal/sandbox-pane.ts';
import type { TournamentPanel } from '../tournament/tournament-panel.ts';
import type { CommandPalette } from './command-palette.ts';
import { listCommands } from './commands.ts';
import { coppiceAppStyles } from './coppice-app.styles.ts';
import { hasOpenDialog } from './has-open-dialog.ts';
import { HostAccess, type Seen } from './host-access.ts';
import type { NewSandbox } from './new-sandbox.ts';
import { performAction } from './perform-action.ts';
import type { SandboxList } from './sandbox-list.ts';
import type { ShortcutList } from './shortcut-list.ts';
import { type Side, sideAfterKey, sidePanels, sides } from './side-panels.ts';

const leaveHint = 'Ctrl+Shift+K: commands · Esc, then Tab leaves the terminal';

/**
 * The whole page: history, terminals, changes, timeline and status of one workspace. Actions of
 * the elements inside arrive here as events and go to the workspace, or open a part of the page.
 */
export class CoppiceApp extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    workspace: { attribute: false },
    preferences: { attribute: false },
    offline: {},
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, coppiceAppStyles];

  declare workspace: Workspace | undefined;
  declare preferences: PreferenceStore;
  /** The status bar's text about offline use; empty for none. */
  declare offline: string;
  /** Loads the code that moves work to hosts, with its elements in `root`. */
  declare loadHosts: ((root: HTMLElement | DocumentFragment) => Promise<HostPanel>) | undefined;
  /** Loads the code that shares snapshots, with its elements in `root`. */
  declare loadShare: ((root: HTMLElement | DocumentFragment) => Promise<SharePanel>) | undefined;
  /** Loads the code of tournaments, with its dialog in `root`. */
  declare loadTournament: ((root: HTMLElement | DocumentFragment) => Promise<TournamentPanel>) | undefined;
  /** Loads the code that plays recordings, with its dialog in `root`. */
  declare loadReplay:
    | ((
        root: HTMLElement | DocumentFragment,
        hosts: {
          readonly hosts: () => readonly KnownHost[];
          readonly reachHost: (url: string) => Promise<HostPlace | undefined>;
        },
      ) => Promise<ReplayPanel>)
    | undefined;
  /** Loads and defines the git panel. */
  declare loadGit: (() => Promise<void>) | undefined;
  #hosts: HostAccess | undefined;
  #knownHosts: readonly KnownHost[] = [];
  #sharing: Promise<SharePanel> | undefined;
  #tournament: Promise<TournamentPanel> | undefined;
  #replay: Promise<ReplayPanel> | undefined;
  #side: Side = 'changes';
  #drawer: 'history' | 'changes' | undefined;
  #leftPx = Math.round(Math.min(360, Math.max(288, innerWidth * 0.19)));
  #rightPx = Math.round(Math.min(560, Math.max(340, innerWidth * 0.27)));
  #inTerminal = false;
  #wasInPane = false;
  readonly #onKey = (event: KeyboardEvent): void => this.#onPageKey(event);

  constructor() {
    super();
    this.offline = '';
    new Watch(this, () => this.workspace);
    new Watch(this, () => this.preferences);
    new Watch(this, () => this.workspace?.active);
    this.addEventListener(actionEvent, (event) => this.#perform((event as CustomEvent<Action>).detail));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.#onKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#onKey);
  }

  /** Focuses the terminal of the first pane, unless another element has the focus by then. */
  async focusTerminal(): Promise<void> {
    await this.updateComplete;
    const pane = this.#part<SandboxPane>('coppice-pane');
    await pane?.updateComplete;
    if (document.activeElement === document.body) pane?.focus();
  }

  /** Asks whether to add the bridge that the fragment of a link names. */
  async openBridgeLink(hash: string): Promise<void> {
    await this.updateComplete;
    await this.#reachHosts()?.openLink(hash);
  }

  /** The host with the bridge of that address; `undefined` if that is none, or its code cannot be loaded. */
  async reachHost(url: string): Promise<HostPlace | undefined> {
    await this.updateComplete;
    return this.#reachHosts()?.reach(url);
  }

  /** Asks whether to open a shared snapshot. Resolves when it is open or refused; calls `onDecided` before. */
  async openShared(shared: SharedSnapshot, onDecided: () => void): Promise<void> {
    await this.updateComplete;
    await (await this.#reachShare())?.receive(shared, onDecided);
  }

  /** Plays a recording over the page, or asks for one. */
  async openRecording(source?: ReplaySource): Promise<void> {
    void this.#reachHosts()?.findHosts();
    const hosts = { hosts: () => this.#knownHosts, reachHost: (url: string) => this.reachHost(url) };
    this.#replay ??= this.loadReplay?.(this.renderRoot, hosts);
    const panel = this.#replay && (await this.#loaded(this.#replay));
    if (panel === undefined) this.#replay = undefined;
    else await panel.open(source);
  }

  override render(): TemplateResult {
    const pane = this.workspace?.active;
    const choices = listChoices(this.#knownHosts);
    const columns = { '--left': `${this.#leftPx}px`, '--right': `${this.#rightPx}px` };
    return html`
      <button class="skip outlined" @click=${() => this.#show('terminal')}>Skip to the terminal</button>
      <coppice-title-bar
        role="region"
        aria-label="Sandbox"
        .model=${pane}
        .drawer=${this.#drawer}
        @drawer=${(event: CustomEvent<'history' | 'changes'>) => this.#toggleDrawer(event.detail)}
      ></coppice-title-bar>
      <main style=${styleMap(columns)} data-drawer=${this.#drawer ?? nothing} @input=${() => pane?.noteUse()} @drop=${() => pane?.noteUse()}>
        <coppice-history .model=${pane} .singleKeys=${this.preferences.value.singleKeys}></coppice-history>
        ${this.#renderSplitter('left')}
        <div class="panes" @focusin=${() => this.#setHint(true)} @focusout=${() => this.#setHint(false)}>
          ${repeat(
            this.workspace?.panes ?? [],
            (model) => model,
            (model) => this.#renderPane(model),
          )}
        </div>
        ${this.#renderSplitter('right')} ${this.#renderSide(pane)}
        <button class="scrim" aria-label="Close the panel" @click=${() => this.#toggleDrawer(undefined)}></button>
      </main>
      <coppice-timeline role="region" aria-label="Timeline" .model=${pane}></coppice-timeline>
      <coppice-status-bar
        role="region"
        aria-label="Status"
        .model=${pane}
        .offline=${this.offline}
        .hint=${this.#inTerminal ? leaveHint : ''}
      ></coppice-status-bar>
      <coppice-toasts style=${styleMap(columns)} .notices=${this.workspace?.notices}></coppice-toasts>
      <coppice-palette
        .commands=${listCommands(pane?.state, { panes: this.workspace?.panes ?? [], active: pane, choices })}
      ></coppice-palette>
      <coppice-shortcuts></coppice-shortcuts>
      <coppice-new-sandbox .choices=${choices}></coppice-new-sandbox>
      <coppice-sandboxes
        .sandboxes=${this.workspace?.sandboxes ?? []}
        .notices=${this.workspace?.notices}
        .openIds=${this.workspace?.panes.flatMap((open) => open.state.info?.id ?? []) ?? []}
      ></coppice-sandboxes>
    `;
  }

  #renderPane(model: SandboxModel): TemplateResult {
    const activate = (): void => {
      if (model !== this.workspace?.active) this.workspace?.activate(model);
    };
    return html`<coppice-pane
      .model=${model}
      .preferences=${this.preferences.value}
      ?closable=${(this.workspace?.panes.length ?? 0) > 1}
      ?active=${model === this.workspace?.active}
      @focusin=${activate}
      @pointerdown=${activate}
    ></coppice-pane>`;
  }

  #renderSplitter(side: 'left' | 'right'): TemplateResult {
    const left = side === 'left';
    return html`<coppice-splitter
      class=${`${side}-splitter`}
      label=${left ? 'Width of the history' : 'Width of the changes'}
      minPx="200"
      maxPx="640"
      valuePx=${left ? this.#leftPx : this.#rightPx}
      ?reverse=${!left}
      @resize=${(event: CustomEvent<number>) => this.#resize(side, event.detail)}
    ></coppice-splitter>`;
  }

  #renderSide(pane: SandboxModel | undefined): TemplateResult {
    return sidePanels({
      side: this.#side,
      pane,
      workspace: this.workspace,
      hosts: this.#knownHosts,
      choose: (side) => this.#setSide(side),
      onKey: (event) => this.#onSideKey(event),
    });
  }

  #perform(action: Action): void {
    if (
      this.workspace !== undefined &&
      performAction(action, this.workspace, () => void this.#show('terminal'))
    ) {
      const isCompared = this.workspace.active?.state.comparing !== 'step';
      if (action.type === 'compare' && (isCompared || action.comparing === 'step'))
        void this.#show('changes');
      if (action.type === 'checkout' || action.type === 'go-back') this.#toggleDrawer(undefined);
    } else this.#performOwn(action);
  }

  #performOwn(action: Action): void {
    const { theme, screenReader, singleKeys, fontSizePx, suggestHosts, shellFirst } = this.preferences.value;
    switch (action.type) {
      case 'focus':
        void this.#show(action.region);
        break;
      case 'new-terminal':
        void this.#activePane()?.addTerminal();
        break;
      case 'choose-sandbox':
        void this.#chooseSandbox();
        break;
      case 'open-palette':
        void this.#reachHosts()?.findHosts();
        void this.#part<CommandPalette>('coppice-palette')?.open();
        break;
      case 'open-shortcuts':
        this.#part<ShortcutList>('coppice-shortcuts')?.open();
        break;
      case 'open-sandboxes':
        void this.workspace?.refresh();
        this.#part<SandboxList>('coppice-sandboxes')?.open(action);
        break;
      case 'start-tagging':
        void this.#show('history').then(() => this.#part<HistoryTree>('coppice-history')?.startTagging());
        break;
      case 'share':
        void this.#reachShare().then((panel) => {
          if (this.workspace?.active !== undefined) panel?.share(this.workspace.active, action.id);
        });
        break;
      case 'save-session':
        void this.#reachShare().then((panel) => {
          if (this.workspace?.active !== undefined) panel?.saveSession(this.workspace.active);
        });
        break;
      case 'open-recording':
        void this.openRecording();
        break;
      case 'race-candidates':
        void this.#openTournament();
        break;
      case 'toggle-theme':
        this.preferences.set({ theme: isDark(theme) ? 'light' : 'dark' });
        break;
      case 'toggle-screen-reader':
        this.preferences.set({ screenReader: !screenReader });
        break;
      case 'toggle-single-keys':
        this.preferences.set({ singleKeys: !singleKeys });
        break;
      case 'toggle-suggestions':
        this.preferences.set({ suggestHosts: !suggestHosts });
        break;
      case 'toggle-shell-first':
        this.preferences.set({ shellFirst: !shellFirst });
        break;
      case 'font-size':
        this.preferences.set({ fontSizePx: Math.min(28, Math.max(9, fontSizePx + action.deltaPx)) });
        break;
      default:
        void this.#reachHosts()?.perform(action, this.#seen());
    }
  }

  override willUpdate(): void {
    this.#wasInPane = this.shadowRoot?.activeElement?.localName === 'coppice-pane';
  }

  override updated(): void {
    // The pane that had the focus may have given its place to another.
    if (this.#wasInPane && document.activeElement === document.body) void this.focusTerminal();
    const trouble = this.workspace?.active?.state.trouble;
    if (trouble !== undefined && this.preferences.value.suggestHosts) {
      void this.#reachHosts()?.consider(trouble, this.#seen());
    }
  }

  /** Shows the choice once the list of hosts is read; they change in it as they answer. */
  async #chooseSandbox(): Promise<void> {
    await this.#reachHosts()?.findHosts();
    await this.updateComplete;
    const pane = this.workspace?.active;
    const host = this.#knownHosts.find(({ name }) => name === pane?.host?.name);
    const chosen = choiceLike(pane?.state.info, host?.bridge.url);
    await this.#part<NewSandbox>('coppice-new-sandbox')?.open(chosen);
  }

  #setHosts(hosts: readonly KnownHost[]): void {
    this.#knownHosts = hosts;
    void this.#replay?.then((panel) => panel.noteHosts()).catch(() => undefined); // Told to who opens it.
    this.requestUpdate();
  }

  #seen(): Seen {
    const pane = this.workspace?.active;
    return { pane, shellPid: this.#activePane()?.shellPid, place: pane && explainPlace(pane) };
  }

  #reachHosts(): HostAccess | undefined {
    const { workspace, loadHosts } = this;
    if (workspace === undefined || loadHosts === undefined) return undefined;
    this.#hosts ??= new HostAccess(
      () => loadHosts(this.renderRoot),
      workspace.notices,
      (hosts) => this.#setHosts(hosts),
    );
    return this.#hosts;
  }

  async #reachShare(): Promise<SharePanel | undefined> {
    const { loadShare } = this;
    if (loadShare === undefined) return undefined;
    this.#sharing ??= loadShare(this.renderRoot);
    const panel = await this.#loaded(this.#sharing);
    if (panel === undefined) this.#sharing = undefined;
    return panel;
  }

  async #openTournament(): Promise<void> {
    const pane = this.workspace?.active;
    if (pane === undefined || this.loadTournament === undefined) return;
    this.#tournament ??= this.loadTournament(this.renderRoot);
    const panel = await this.#loaded(this.#tournament);
    if (panel === undefined) this.#tournament = undefined;
    else await panel.open(pane);
  }

  /** Resolves to `undefined`, and says so on the page, if a part of it could not be loaded. */
  async #loaded<T>(part: Promise<T>): Promise<T | undefined> {
    try {
      return await part;
    } catch {
      const text = 'This part of the page could not be loaded. Try again with a network.';
      this.workspace?.notices.add({ text, tone: 'error' });
      return undefined;
    }
  }

  #onPageKey(event: KeyboardEvent): void {
    if (event.code === 'KeyK' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!hasOpenDialog(this.renderRoot)) this.#performOwn({ type: 'open-palette' });
    }
    if (hasOpenDialog(this.renderRoot)) return;
    const typing = event.composedPath()[0];
    const inField = typing instanceof HTMLInputElement || typing instanceof HTMLTextAreaElement;
    if (event.key === '?' && !inField && this.preferences.value.singleKeys) {
      this.#performOwn({ type: 'open-shortcuts' });
    }
    if (event.key === 'Escape' && this.#drawer !== undefined && !inField) this.#toggleDrawer(undefined);
  }

  async #show(region: Region): Promise<void> {
    const side = sides.find((each) => each === region);
    if (side !== undefined) this.#setSide(side);
    const drawer = region === 'history' ? 'history' : this.#side === region ? 'changes' : undefined;
    const narrow = { history: '(width < 44rem)', changes: '(width < 70rem)' };
    this.#drawer = drawer !== undefined && matchMedia(narrow[drawer]).matches ? drawer : undefined;
    this.requestUpdate();
    await this.updateComplete;
    const target = region === 'terminal' ? this.#activePane() : this.#part<LitElement>(`coppice-${region}`);
    await target?.updateComplete;
    target?.focus();
  }

  #toggleDrawer(drawer: 'history' | 'changes' | undefined): void {
    this.#drawer = drawer === this.#drawer ? undefined : drawer;
    this.requestUpdate();
  }

  #onSideKey({ key }: KeyboardEvent): void {
    const side = sideAfterKey(this.#side, key);
    if (side === undefined) return;
    this.#setSide(side);
    void this.updateComplete.then(() =>
      this.renderRoot.querySelector<HTMLElement>('.side [role=tab][aria-selected=true]')?.focus(),
    );
  }

  #setSide(side: Side): void {
    this.#side = side;
    this.requestUpdate();
    if (side !== 'git') return;
    void this.#reachHosts()?.findHosts();
    if (this.loadGit !== undefined) void this.#loaded(this.loadGit());
  }

  #resize(side: 'left' | 'right', widthPx: number): void {
    if (side === 'left') this.#leftPx = widthPx;
    else this.#rightPx = widthPx;
    this.requestUpdate();
  }

  #setHint(inTerminal: boolean): void {
    if (this.#inTerminal === inTerminal) return;
    this.#inTerminal = inTerminal;
    this.requestUpdate();
  }

  #activePane(): SandboxPane | undefined {
    return this.#part<SandboxPane>('coppice-pane[active]');
  }

  #part<T extends Element>(selector: string): T | undefined {
    return this.renderRoot.querySelector<T>(selector) ?? undefined;
  }
}

function isDark(theme: 'system' | 'light' | 'dark'): boolean {
  return theme === 'system' ? matchMedia('(prefers-color-scheme: dark)').matches : theme === 'dark';
}
