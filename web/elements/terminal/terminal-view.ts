import type { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import xtermCss from '@xterm/xterm/css/xterm.css?inline';
import {
  type CSSResultGroup,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  unsafeCSS,
} from 'lit';
import { type ErrorData, SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { type ExitStatus, loginShell } from '../../../protocol/sandbox/processes.ts';
import { act } from '../model/actions.ts';
import { scrubbedScreen } from '../model/checkpoints-of-snapshots.ts';
import type { Preferences } from '../model/preferences.ts';
import type { SandboxModel, TerminalSize } from '../model/sandbox-model.ts';
import type { SandboxState } from '../model/sandbox-state.ts';
import { Watch } from '../model/watch.ts';
import { sharedStyles } from '../shared.styles.ts';
import { plainLine } from '../text/describe-snapshot.ts';
import { createTerminal, type TerminalLook } from './create-terminal.ts';
import { isAscii, loadGraphemes } from './load-graphemes.ts';
import { PastScreen } from './past-screen.ts';
import { ShellSession } from './shell-session.ts';
import { readTerminalTheme } from './terminal-theme.ts';
import { terminalViewStyles } from './terminal-view.styles.ts';
import type { TouchKeys } from './touch-keys.ts';

/** RIS (ECMA-48 8.3.105); `CSI 3 J` drops what was scrolled out, as xterm does. */
const reset = '\x1bc\x1b[3J';
const wentBack = separator('went back; programs started anew');
const openedAgain = separator('opened again');

/**
 * One terminal: a screen that is shown at once, and a shell in it as soon as the machine is ready. Fires `title` (a
 * `CustomEvent<string>`) when the shell names itself.
 */
export class TerminalView extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    model: { attribute: false },
    preferences: { attribute: false },
  };
  static override readonly styles: CSSResultGroup = [sharedStyles, unsafeCSS(xtermCss), terminalViewStyles];

  declare model: SandboxModel | undefined;
  declare preferences: Preferences | undefined;
  #terminal: Terminal | undefined;
  #fit: FitAddon | undefined;
  #session: ShellSession | undefined;
  #connected: SandboxConnection | undefined;
  #opening = false;
  #typedAhead = '';
  /** Whether the user has typed anything. */
  #hasTyped = false;
  #showing = false;
  /** Whether the screen has output of a shell, and whether that came over an earlier connection. */
  #hasShown = false;
  #isOpenedAgain = false;
  #ended: ExitStatus | undefined;
  #problem: ErrorData | undefined;
  #past: PastScreen | undefined;
  #graphemes: Promise<void> | undefined;
  readonly #resize = new ResizeObserver(() => this.#fitScreen());
  readonly #scheme = matchMedia('(prefers-color-scheme: dark)');
  readonly #onScheme = (): void => this.#restyle();

  constructor() {
    super();
    new Watch(this, () => this.model);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#scheme.addEventListener('change', this.#onScheme);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#scheme.removeEventListener('change', this.#onScheme);
    this.#resize.disconnect();
    void this.#session?.close();
    this.#session = undefined;
    this.#terminal?.dispose();
    this.#terminal = undefined;
    this.#past?.[Symbol.dispose]();
    this.#past = undefined;
    this.#graphemes = undefined;
  }

  override focus(): void {
    this.#terminal?.focus();
  }

  /** The process of its shell, while one runs. */
  get shellPid(): number | undefined {
    return this.#session?.pid;
  }

  override render(): TemplateResult {
    return html`
      <coppice-rescue .model=${this.model} .error=${this.#problem} @again=${this.#restart}></coppice-rescue>
      <div
        class="screen"
        role="group"
        aria-label="Terminal. Escape, then Tab leaves it."
        @focusin=${() => this.model?.scrub({})}
      ></div>
      <div class="preview" aria-hidden="true" inert hidden></div>
      <coppice-touch-keys .terminal=${this.#terminal}></coppice-touch-keys>
      ${this.model?.state.readOnly && this.model.state.phase === 'ready' ? lookedAt : nothing}
      ${this.#ended === undefined || this.#ended.reason === 'machine-failed' ? nothing : this.#renderEnd(this.#ended)}
    `;
  }

  override updated(changed: PropertyValues): void {
    if (this.#terminal === undefined) this.#createScreen();
    else if (changed.has('preferences')) this.#restyle();
    const { model } = this;
    if (model === undefined) return;
    if (model.connection !== this.#connected) this.#forget(model.connection);
    this.#showPast(model.state);
    const wanted = model.state.phase === 'ready' && !model.state.readOnly;
    if (model.state.phase !== 'ready') this.#forgiveMachine();
    if (!this.#expectsShell) this.#typedAhead = '';
    const idle = this.#session === undefined && !this.#opening;
    if (wanted && idle && this.#ended === undefined && this.#problem === undefined) void this.#openShell();
  }

  /** Shows this terminal's output of a past state, or its present output. */
  #showPast(state: SandboxState): void {
    const past = scrubbedScreen(state);
    const host = this.renderRoot.querySelector<HTMLElement>('.preview');
    const terminal = this.#terminal;
    if (host === null || terminal === undefined) return;
    this.#past ??= new PastScreen(host);
    void this.#past.show(past, {
      size: { columns: terminal.cols, rows: terminal.rows },
      look: () => this.#look(),
      // For a process that did not exist then, shows the first one that did.
      read: async (checkpoint) =>
        this.#connected?.checkpoints.terminalOutput({ checkpoint, pid: this.#session?.pid ?? 0 }),
    });
  }

  #renderEnd(status: ExitStatus): TemplateResult {
    const how =
      status.reason === 'out-of-memory'
        ? 'for lack of memory'
        : status.signal === undefined
          ? `with ${status.exitCode}`
          : `by ${plainLine(status.signal, 20)}`;
    return html`<div class="ended" role="status">
      <span>The shell ended ${how}.</span>
      <button class="outlined" @click=${this.#restart}>Start another</button>
    </div>`;
  }

  #createScreen(): void {
    const { terminal, fit } = createTerminal(this.#look(), {
      onLink: (uri) => act(this, { type: 'open-link', uri }),
      onPalette: () => act(this, { type: 'open-palette' }),
    });
    const screen = this.renderRoot.querySelector<HTMLElement>('.screen');
    if (screen !== null) {
      terminal.open(screen);
      this.#resize.observe(screen);
    }
    terminal.onData((text) => this.#type(this.#touchKeys()?.withControl(text) ?? text));
    // Old-style mouse reports are not text: one character is one byte.
    terminal.onBinary((text) => this.#session?.send(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    terminal.onResize(({ cols, rows }) => {
      void this.#session?.resize({ columns: cols, rows });
      if (!this.hidden) this.model?.noteTerminalSize({ columns: cols, rows });
    });
    terminal.onTitleChange((title) =>
      this.dispatchEvent(new CustomEvent('title', { detail: plainLine(title, 40) })),
    );
    this.#terminal = terminal;
    this.#fit = fit;
    this.#fitScreen();
    // The touch keys were rendered before the terminal existed.
    this.requestUpdate();
  }

  /** Reading the colours forces a style computation, which is too slow for every update. */
  #look(): TerminalLook {
    return {
      theme: readTerminalTheme(this.renderRoot),
      fontFamily: getComputedStyle(this).getPropertyValue('--cp-mono').trim(),
      fontSize: this.preferences?.fontSizePx ?? 13,
      screenReaderMode: this.preferences?.screenReader ?? false,
    };
  }

  #restyle(): void {
    if (this.#terminal === undefined) return;
    Object.assign(this.#terminal.options, this.#look());
    this.#fitScreen();
  }

  /** A new connection has a new machine; processes of the old one have ended. */
  #forget(connection: SandboxConnection | undefined): void {
    this.#connected = connection;
    this.#isOpenedAgain = this.#hasShown;
    this.#session = undefined;
    this.#ended = undefined;
    this.#problem = undefined;
  }

  /** An error of an old machine does not require the user to act once a new one runs. */
  #forgiveMachine(): void {
    this.#problem = undefined;
    if (this.#ended?.reason === 'machine-failed') this.#ended = undefined;
  }

  async #openShell(): Promise<void> {
    const connection = this.model?.connection;
    const terminal = this.#terminal;
    if (connection === undefined || terminal === undefined) return;
    this.#opening = true;
    this.#hasTyped = this.#typedAhead !== '';
    try {
      const size = { columns: terminal.cols, rows: terminal.rows };
      const session = await this.#startShell(connection, terminal, size);
      if (this.#terminal === terminal && connection === this.#connected) {
        this.#session = session;
        // What stood above the screen may have gone meanwhile.
        if (terminal.cols !== size.columns || terminal.rows !== size.rows)
          void session.resize({ columns: terminal.cols, rows: terminal.rows });
        if (this.#typedAhead !== '') session.type(this.#typedAhead);
        this.#typedAhead = '';
      } else await session.close();
    } catch (error) {
      this.#problem = SandboxError.from(error).toData();
      this.model?.noteShell();
    }
    this.#opening = false;
    this.requestUpdate();
  }

  /** The screen and a resumed shell's prompt are shown before the shell accepts input: input until then is queued. */
  #type(text: string): void {
    this.#hasTyped = true;
    this.model?.noteUse();
    if (this.#session !== undefined) {
      // A program may ask its terminal without end, and read none of its answers.
      if (!(this.#session.isBehind && isTerminalReport(text))) this.#session.type(text);
    }
    // Replayed output may contain queries to the terminal, which were answered long ago.
    else if (this.#expectsShell && !(this.#showing && isTerminalReport(text)))
      this.#typedAhead = (this.#typedAhead + text).slice(0, limits.typedAheadCharacters);
  }

  get #expectsShell(): boolean {
    const { phase, readOnly } = this.model?.state ?? { phase: 'failed', readOnly: true };
    const canOpen = phase !== 'failed' && phase !== 'closed' && !readOnly;
    return canOpen && this.#ended === undefined && this.#problem === undefined;
  }

  /** The directory of a moved shell may not exist here. */
  async #startShell(
    connection: SandboxConnection,
    terminal: Terminal,
    size: TerminalSize,
  ): Promise<ShellSession> {
    const screen = this.#screenFor(terminal);
    const place = this.hidden ? undefined : this.model?.takeShellPlace();
    try {
      return await ShellSession.open(connection, screen, { size, place });
    } catch (error) {
      if (place === undefined || SandboxError.from(error).code !== 'not-found') throw error;
      return ShellSession.open(connection, screen, { size });
    }
  }

  #screenFor(terminal: Terminal): Parameters<typeof ShellSession.open>[1] {
    return {
      write: async (bytes) => {
        this.#showing = true;
        if (this.#isOpenedAgain) terminal.write(openedAgain);
        this.#isOpenedAgain = false;
        this.#hasShown = true;
        if (this.#graphemes === undefined && !isAscii(bytes)) this.#graphemes = loadGraphemes(terminal);
        // Later output waits too, to keep the order.
        if (this.#graphemes !== undefined) await this.#graphemes;
        const size = this.model?.takeShownSize();
        if (size !== undefined) terminal.resize(size.columns, size.rows);
        await new Promise<void>((resolve) => terminal.write(bytes, resolve));
        // Its lines are complete now, and are wrapped again at the present width.
        if (size !== undefined) this.#fitScreen();
        this.#showing = false;
        // On the screen with the next frame.
        requestAnimationFrame(() => setTimeout(() => this.model?.noteShell()));
      },
      ended: (status) => {
        this.#session = undefined;
        if (status.reason === 'checkout') terminal.write(this.#isRestoringCheckpoint ? reset : wentBack);
        else if (this.#hasTyped || !notExecuted.has(status.exitCode)) this.#ended = status;
        else this.#problem = cannotStart(status.exitCode);
        if (status.reason === 'machine-failed') void this.model?.noteLoss();
        this.requestUpdate();
      },
    };
  }

  /** The checkpoint's shell resumes in another machine, and shows its output again. */
  get #isRestoringCheckpoint(): boolean {
    return this.model?.state.scrubbing?.isGoing ?? false;
  }

  #restart(): void {
    this.#ended = undefined;
    this.#problem = undefined;
    this.requestUpdate();
    this.focus();
  }

  #touchKeys(): TouchKeys | null {
    return this.renderRoot.querySelector<TouchKeys>('coppice-touch-keys');
  }

  #fitScreen(): void {
    const screen = this.renderRoot.querySelector<HTMLElement>('.screen');
    if (screen !== null && screen.clientWidth > 0 && screen.clientHeight > 0) this.#fit?.fit();
  }
}

const lookedAt = html`<div class="ended" role="status">
  <span>No shell runs here: its terminals are in the other tab. The history and the files are beside.</span>
</div>`;

/** Exit codes of a shell that lacks its libraries, or cannot be executed. */
const notExecuted: ReadonlySet<number> = new Set([126, 127]);

/** Whether the terminal has sent this by itself: DA, CPR, DSR or DECRPM (ECMA-48 8.3, DEC STD 070), a DCS or an OSC. */
function isTerminalReport(text: string): boolean {
  return text.startsWith('\x1b') && /^(?:\[[?>=]?[\d;]*(?:[cRn]|\$y)|[P\]])/.test(text.slice(1));
}

function cannotStart(exitCode: number): ErrorData {
  const message = `Cannot start a shell: ${loginShell[0]} ended with ${exitCode} before anything was typed`;
  return { code: 'not-found', message, details: {} };
}

/** A line between the old output and the new. */
function separator(text: string): string {
  return `\r\n\x1b[2m──── ${text} ────\x1b[0m\r\n`;
}
