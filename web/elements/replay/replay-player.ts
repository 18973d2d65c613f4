import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type TemplateResult,
} from 'lit';
import type { ReplayLink, ReplaySource } from '../../transports/replay-link.ts';
import type { ChangesPanel } from '../changes/changes-panel.ts';
import type { FileBrowser } from '../files/file-browser.ts';
import { Notices } from '../model/notices.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import type { Continuation } from './continuation.ts';
import type { ContinueButton } from './continue-button.ts';
import { performKey } from './perform-key.ts';
import { renderFacts, renderReading, renderWarnings } from './recording-facts.ts';
import type { ReplayHelp } from './replay-help.ts';
import { readReplayKey } from './replay-keys.ts';
import { ReplayModel } from './replay-model.ts';
import type { ReplayPlace } from './replay-place.ts';
import { replayPlayerStyles } from './replay-player.styles.ts';
import type { ReplayScreen } from './replay-screen.ts';
import type { ReplaySteps } from './replay-steps.ts';
import { renderSides, renderTerminals, type Side, sideOfKey } from './replay-tabs.ts';
import { sayStep } from './say-step.ts';

/**
 * Plays a recording: its terminals, what was done and said beside them, and the files at each moment. Fires `place` (a
 * `CustomEvent<ReplayPlace>`) with what a link to the moment would name, and `choose-file` when the user asks for another recording.
 */
export class ReplayPlayer extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    openLink: { attribute: false },
    continuation: { attribute: false },
    side: { state: true },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, replayPlayerStyles];

  /** Starts what reads recordings. */
  declare openLink: (() => ReplayLink) | undefined;
  declare continuation: Continuation | undefined;
  declare side: Side;
  readonly #notices = new Notices();
  #model: ReplayModel | undefined;
  #path: string | undefined;
  /** A file that is to be shown once the recording is there. */
  #wanted: Pick<ReplayPlace, 'path' | 'view'> | undefined;
  #caption = '';
  #said: unknown;
  readonly #onKey = (event: KeyboardEvent): void => this.#onPageKey(event);
  readonly #sideEvents = {
    choose: (side: Side): void => this.#setSide(side),
    onKey: (event: KeyboardEvent): void => this.#onTabKey(event),
  };
  readonly #onPlace = (): void => this.#tellPlace();

  constructor() {
    super();
    this.side = 'changes';
    new Watch(this, () => this.#model);
  }

  /** Opens a recording in place of the one before, at a place in it. Resolves when it is shown, or what is wrong with it. */
  async open(source: ReplaySource, place: Partial<ReplayPlace> = {}): Promise<void> {
    await this.updateComplete;
    if (this.#model === undefined && this.openLink !== undefined) {
      this.#model = new ReplayModel(this.openLink);
      this.#model.addEventListener('sought', this.#onPlace);
    }
    this.#path = undefined;
    this.#wanted = place.path === undefined ? undefined : { path: place.path, view: place.view };
    this.requestUpdate();
    await this.#model?.open(source, { at: place.at ?? 0 });
    if (place.terminal !== undefined) this.#model?.showTerminal(place.terminal);
  }

  /** Goes to another place of the recording that is open. */
  async go({ at, path, view, terminal }: ReplayPlace): Promise<void> {
    if (path !== undefined) this.#wanted = { path, view };
    await this.#model?.seek(at, terminal);
  }

  /** Plays what is open. */
  play(): void {
    this.#model?.play();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener('keydown', this.#onKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener('keydown', this.#onKey);
    this.#model?.removeEventListener('sought', this.#onPlace);
    this.#model?.[Symbol.dispose]();
    this.#model = undefined;
  }

  override render(): TemplateResult {
    const { phase = 'empty', problem } = this.#model?.state ?? {};
    switch (phase) {
      case 'ready':
        return this.#renderPlayer(this.#model as ReplayModel);
      case 'opening':
        return html`<div class="middle">
          <p role="status">Opening the recording …</p>
        </div>`;
      default:
        return html`<div class="middle">
          <coppice-problem .error=${problem}></coppice-problem>
          <h2>Watch a recording</h2>
          <p class="muted">
            Drop a file of a session here: a <code>.cast</code> or <code>.cast.gz</code> of Coppice, or any asciicast. It stays in this
            browser, and nothing of it runs.
          </p>
          <p><button class="primary" @click=${this.#chooseFile}>Choose a file</button></p>
        </div>`;
    }
  }

  override updated(): void {
    const { state } = this.#model ?? {};
    if (state === undefined) return;
    const step = state.session.steps[state.step];
    if (step !== this.#said) {
      this.#said = step;
      this.#caption = step === undefined ? '' : sayStep(step);
      this.requestUpdate();
    }
    if (state.phase === 'ready' && this.#wanted !== undefined) void this.#showWanted();
  }

  #renderPlayer(model: ReplayModel): TemplateResult {
    const { state } = model;
    const hasFiles = model.sandbox !== undefined;
    const side = hasFiles ? this.side : 'steps';
    return html`
      <header>
        ${renderFacts(model)}
        <coppice-continue .model=${model} .continuation=${this.continuation}></coppice-continue>
        <span class="tools">
          <button class="outlined" @click=${this.#chooseFile}>Open another</button>
          <button class="icon outlined" aria-label="Keys" title="Keys (?)" @click=${this.#showHelp}>?</button>
        </span>
      </header>
      <div class="notes">
        ${renderReading(model)} ${renderWarnings(model)}
        <coppice-problem .error=${state.problem} dismissible @dismiss=${() => model.dismissProblem()}></coppice-problem>
      </div>
      <main data-side=${side} class=${hasFiles ? '' : 'no-files'}>
        <div class="stage">
          ${state.session.terminals.length > 1 ? renderTerminals(model) : nothing}
          <coppice-replay-screen .model=${model}></coppice-replay-screen>
        </div>
        <div class="bar">
          <coppice-replay-timeline .model=${model}></coppice-replay-timeline>
          <coppice-replay-controls .model=${model}></coppice-replay-controls>
        </div>
        ${hasFiles ? renderSides(side, this.#sideEvents) : nothing}
        <coppice-replay-steps .model=${model}></coppice-replay-steps>
        ${
          hasFiles
            ? html`<coppice-changes
                .model=${model.sandbox}
                @path=${(event: CustomEvent<string | undefined>) => this.#notePath('changes', event.detail)}
              ></coppice-changes>`
            : nothing
        }
        ${
          model.sandbox === undefined
            ? nothing
            : html`<coppice-files
                .model=${model.sandbox}
                .notices=${this.#notices}
                @path=${(event: CustomEvent<string | undefined>) => this.#notePath('files', event.detail)}
              ></coppice-files>`
        }
      </main>
      <p class="hidden-text" role="status" aria-live="polite">${this.#caption}</p>
      <coppice-replay-help></coppice-replay-help>
    `;
  }

  #onPageKey(event: KeyboardEvent): void {
    if (this.#model?.state.phase !== 'ready' || this.renderRoot.querySelector('dialog[open]') !== null)
      return;
    const key = readReplayKey(event);
    if (key === undefined) return;
    event.preventDefault();
    performKey(key, this.#model, {
      search: () => {
        this.#setSide('steps', { onlyNarrow: true });
        void this.updateComplete.then(() => this.#part<ReplaySteps>('coppice-replay-steps')?.focus());
      },
      goOn: () => this.#part<ContinueButton>('coppice-continue')?.go(),
      help: () => this.#showHelp(),
    });
  }

  #onTabKey(event: KeyboardEvent): void {
    const next = sideOfKey(this.side, event);
    if (next === undefined) return;
    event.preventDefault();
    this.#setSide(next);
    void this.updateComplete.then(() => this.#part<HTMLElement>('[role=tab][aria-selected=true]')?.focus());
  }

  /** On a wide screen the steps are there anyway. */
  #setSide(side: Side, { onlyNarrow = false }: { readonly onlyNarrow?: boolean } = {}): void {
    if (onlyNarrow && matchMedia('(width >= 70rem)').matches) return;
    this.side = side;
  }

  async #showWanted(): Promise<void> {
    const { path, view = 'changes' } = this.#wanted ?? {};
    this.#wanted = undefined;
    if (path === undefined || this.#model?.sandbox === undefined) return;
    this.side = view;
    await this.updateComplete;
    if (view === 'changes') this.#part<ChangesPanel>('coppice-changes')?.showFile(path);
    else await this.#part<FileBrowser>('coppice-files')?.showFile(path);
  }

  #notePath(view: Side, path: string | undefined): void {
    if (path === undefined && this.side !== view) return;
    this.#path = path;
    this.#tellPlace();
  }

  #tellPlace(): void {
    const model = this.#model;
    if (model === undefined || model.state.isPlaying) return;
    this.#part<ReplayScreen>('coppice-replay-screen')?.readText();
    const view = this.side === 'files' ? 'files' : 'changes';
    const detail: ReplayPlace = { at: model.at, path: this.#path, view, terminal: model.state.terminal };
    this.dispatchEvent(new CustomEvent('place', { detail }));
  }

  #chooseFile(): void {
    this.dispatchEvent(new Event('choose-file'));
  }

  #showHelp(): void {
    this.#part<ReplayHelp>('coppice-replay-help')?.open();
  }

  #part<T extends Element>(selector: string): T | undefined {
    return this.renderRoot.querySelector<T>(selector) ?? undefined;
  }
}
