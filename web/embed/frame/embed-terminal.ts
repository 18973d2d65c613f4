import type { FitAddon } from '@xterm/addon-fit';
import type { Terminal } from '@xterm/xterm';
import xtermCss from '@xterm/xterm/css/xterm.css?inline';
import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  nothing,
  type PropertyDeclarations,
  type PropertyValues,
  type TemplateResult,
  unsafeCSS,
} from 'lit';
import { SandboxError } from '../../../protocol/errors.ts';
import { limits } from '../../../protocol/limits.ts';
import type { SandboxConnection } from '../../../protocol/sandbox/connection.ts';
import { sharedStyles } from '../../elements/shared.styles.ts';
import { createTerminal } from '../../elements/terminal/create-terminal.ts';
import { loadGraphemes } from '../../elements/terminal/load-graphemes.ts';
import { ShellSession } from '../../elements/terminal/shell-session.ts';
import { readTerminalTheme } from '../../elements/terminal/terminal-theme.ts';
import { terminalViewStyles } from '../../elements/terminal/terminal-view.styles.ts';
import { embedLimits } from '../limits.ts';

const fontSizePx = 13;

/**
 * One terminal of an embed, with a login shell of `connection` in it. Fires `wanted` when `wantedPx` has changed, and `problem` (a
 * `CustomEvent<string>`).
 */
export class EmbedTerminal extends LitElement {
  static override readonly properties: PropertyDeclarations = {
    connection: { attribute: false },
    heading: { attribute: false },
    readonly: { type: Boolean },
  };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    unsafeCSS(xtermCss),
    terminalViewStyles,
    css`
      .heading,
      .link {
        flex: none;
        padding: var(--cp-space-1) var(--cp-space-3);
        border-bottom: 1px solid var(--cp-line);
        background: var(--cp-panel);
        color: var(--cp-muted);
        overflow-wrap: anywhere;
      }
    `,
  ];

  declare connection: SandboxConnection | undefined;
  declare heading: string;
  declare readonly: boolean;
  #screen: { readonly terminal: Terminal; readonly fit: FitAddon } | undefined;
  #session: Promise<ShellSession> | undefined;
  /** What was to be typed before there was a shell that has shown something. */
  #ahead = '';
  #hasShown = false;
  #hasTyped = false;
  #link: string | undefined;
  #rows = 0;
  /** The height in CSS pixels that what it shows takes. */
  wantedPx = 0;
  readonly #resize = new ResizeObserver(() => this.#fitScreen());

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#resize.disconnect();
    void this.#session?.then((session) => session.close()).catch(() => undefined);
    this.#session = undefined;
    this.#screen?.terminal.dispose();
    this.#screen = undefined;
  }

  override focus(): void {
    this.#screen?.terminal.focus();
  }

  /** Enters a line, once the shell has shown its prompt. */
  enter(line: string): void {
    const text = `${line.replaceAll(/\r\n?|\n/g, '\r')}\r`;
    this.#hasTyped = true;
    if (this.#session && this.#hasShown) void this.#session.then((session) => session.type(text));
    else this.#ahead = (this.#ahead + text).slice(0, embedLimits.commandCharacters);
  }

  /** Reads colours and fonts again. */
  restyle(): void {
    if (this.#screen) Object.assign(this.#screen.terminal.options, this.#look());
    this.#fitScreen();
  }

  override render(): TemplateResult {
    return html`
      ${this.heading ? html`<div class="heading">${this.heading}</div>` : nothing}
      <div class="screen" role="group" aria-label="Terminal. Escape, then Tab leaves it."></div>
      <coppice-touch-keys .terminal=${this.#screen?.terminal}></coppice-touch-keys>
      ${this.#link === undefined ? nothing : this.#renderLink(this.#link)}
    `;
  }

  override updated(changed: PropertyValues): void {
    this.#screen ??= this.#createScreen();
    this.#screen.terminal.options.disableStdin = this.readonly;
    if (changed.has('heading')) this.#measure();
    if (changed.has('connection') && this.connection) void this.#openShell(this.connection);
  }

  /** What a sandbox shows as a link may lead anywhere: all of its address is shown before it is followed. */
  #renderLink(url: string): TemplateResult {
    const done = (): void => {
      this.#link = undefined;
      this.requestUpdate();
    };
    return html`<div class="link">
      Open <a href=${url} target="_blank" rel="noopener noreferrer" @click=${done}>${url}</a>?
      <button @click=${done}>No</button>
    </div>`;
  }

  #createScreen(): { terminal: Terminal; fit: FitAddon } {
    const { terminal, fit } = createTerminal(this.#look(), {
      onLink: (uri) => {
        if (!/^https?:/i.test(uri) || uri.length > limits.sharedUrlCharacters) return;
        this.#link = uri;
        this.requestUpdate();
      },
      onPalette: () => {},
    });
    const screen = this.renderRoot.querySelector<HTMLElement>('.screen');
    if (screen) {
      terminal.open(screen);
      this.#resize.observe(screen);
    }
    terminal.onData((text) => this.#type(text));
    terminal.onBinary((text) => void this.#send(Uint8Array.from(text, (char) => char.charCodeAt(0))));
    terminal.onResize(({ cols, rows }) => void this.#size({ columns: cols, rows }));
    terminal.onWriteParsed(() => this.#measure());
    queueMicrotask(() => this.requestUpdate());
    this.#screen = { terminal, fit };
    this.#fitScreen();
    return this.#screen;
  }

  #look(): object {
    return {
      theme: readTerminalTheme(this.renderRoot as ShadowRoot),
      fontFamily: getComputedStyle(this).getPropertyValue('--cp-mono').trim(),
      fontSize: fontSizePx,
    };
  }

  async #openShell(connection: SandboxConnection): Promise<void> {
    const terminal = this.#screen?.terminal;
    if (!terminal) return;
    const size = { columns: terminal.cols, rows: terminal.rows };
    this.#hasShown = false;
    this.#hasTyped = false;
    try {
      this.#session = ShellSession.open(
        connection,
        {
          write: async (bytes) => {
            await loadGraphemesFor(terminal, bytes);
            await new Promise<void>((resolve) => terminal.write(bytes, resolve));
            this.#shown();
          },
          ended: ({ reason }) => {
            this.#session = undefined;
            if (connection !== this.connection || reason === 'machine-failed') return;
            // One that ends by itself would do so again, and again.
            if (!this.#hasTyped && reason !== 'checkout')
              return this.#tell('The shell ended before anything was typed');
            // After a checkout as after `exit`: the next shell begins on a clean screen.
            terminal.write('\x1bc\x1b[3J');
            void this.#openShell(connection);
          },
        },
        { size },
      );
      await this.#session;
    } catch (error) {
      this.#tell(SandboxError.from(error).message);
    }
  }

  #tell(problem: string): void {
    this.dispatchEvent(new CustomEvent('problem', { detail: problem, bubbles: true, composed: true }));
  }

  #shown(): void {
    if (this.#hasShown) return;
    this.#hasShown = true;
    const text = this.#ahead;
    this.#ahead = '';
    this.#hasTyped ||= text !== '';
    if (text !== '') void this.#session?.then((session) => session.type(text)).catch(() => undefined);
  }

  #type(text: string): void {
    this.#hasTyped ||= !this.readonly;
    if (!this.readonly)
      void this.#session?.then((session) => session.isBehind || session.type(text)).catch(() => undefined);
  }

  async #send(bytes: Uint8Array): Promise<void> {
    if (!this.readonly) (await this.#session?.catch(() => undefined))?.send(bytes);
  }

  async #size(size: { columns: number; rows: number }): Promise<void> {
    await (await this.#session?.catch(() => undefined))?.resize(size);
  }

  #fitScreen(): void {
    const screen = this.renderRoot.querySelector<HTMLElement>('.screen');
    if (screen && screen.clientWidth > 0 && screen.clientHeight > 0) this.#screen?.fit.fit();
  }

  /** Tells how high it would have to be to show all of its lines, within bounds; it never shrinks by itself. */
  #measure(): void {
    const { terminal } = this.#screen ?? {};
    const drawn = this.renderRoot.querySelector<HTMLElement>('.xterm-screen');
    const screen = this.renderRoot.querySelector<HTMLElement>('.screen');
    if (!terminal || !drawn || !screen) return;
    const { least, most } = embedLimits.autoRows;
    const { baseY, cursorY } = terminal.buffer.active;
    this.#rows = Math.max(this.#rows, Math.min(most, Math.max(least, baseY + cursorY + 1)));
    const around = this.getBoundingClientRect().height - screen.clientHeight;
    const px = Math.ceil(this.#rows * (drawn.clientHeight / terminal.rows) + around);
    if (px === this.wantedPx) return;
    this.wantedPx = px;
    this.dispatchEvent(new Event('wanted', { bubbles: true, composed: true }));
  }
}

const graphemes = new WeakMap<Terminal, Promise<void>>();

/** Later output waits too, to keep the order. */
async function loadGraphemesFor(terminal: Terminal, bytes: Uint8Array): Promise<void> {
  if (!graphemes.has(terminal) && bytes.some((byte) => byte > 127))
    graphemes.set(terminal, loadGraphemes(terminal));
  await graphemes.get(terminal);
}
