import xtermCss from '@xterm/xterm/css/xterm.css?inline';
import {
  type CSSResultGroup,
  css,
  html,
  LitElement,
  type PropertyDeclarations,
  type TemplateResult,
  unsafeCSS,
} from 'lit';
import type { ScreenAt, ScreenEvent } from '../../transports/replay-link.ts';
import { sharedStyles } from '../shared.styles.ts';
import type { TerminalLook } from '../terminal/create-terminal.ts';
import { readTerminalTheme } from '../terminal/terminal-theme.ts';
import type { ReplayScreen as Drawn } from './playback.ts';
import type { ReplayModel } from './replay-model.ts';
import { ScreenPainter } from './screen-painter.ts';

const smallestPx = 4;
const largestPx = 15;
const scrollbackLines = 2_000;
const fontFamily = 'var(--cp-mono)';

/** The terminal of a recording, in letters as large as fit: its columns and rows are those of the session. */
export class ReplayScreen extends LitElement implements Drawn {
  static override readonly properties: PropertyDeclarations = { model: { attribute: false } };
  static override readonly styles: CSSResultGroup = [
    sharedStyles,
    unsafeCSS(xtermCss),
    css`
      :host {
        position: relative;
        display: block;
        min-width: 0;
        min-height: 0;
        padding: var(--cp-space-2);
        background: var(--cp-term-ground);
        overflow: hidden;
      }
      .room {
        width: 100%;
        height: 100%;
        overflow: hidden;
      }
      .screen {
        width: max-content;
      }
      .xterm .xterm-viewport {
        background: transparent !important;
      }
      .xterm .xterm-helper-textarea {
        display: none;
      }
    `,
  ];

  declare model: ReplayModel | undefined;
  #painter: ScreenPainter | undefined;
  #drawsOn: ReplayModel | undefined;
  #text = '';
  /** The columns and rows that its letters fit: to measure lays the page out. */
  #fitted = '';
  readonly #resize = new ResizeObserver(() => this.#fit());
  readonly #scheme = matchMedia('(prefers-color-scheme: dark)');
  readonly #onScheme = (): void => this.restyle();

  get pendingCharacters(): number {
    return this.#painter?.pendingCharacters ?? 0;
  }

  async show(screen: ScreenAt): Promise<void> {
    await this.#painter?.show(screen);
    const { cols = 0, rows = 0 } = this.#painter?.terminal ?? {};
    if (this.#fitted !== `${cols}x${rows}`) this.#fit();
    this.readText();
  }

  write(events: readonly ScreenEvent[]): void {
    this.#painter?.write(events);
    if (events.some(({ type }) => type === 'resize')) requestAnimationFrame(() => this.#fit());
  }

  /** Has the text of the screen ready for screen readers, which the drawn one is hidden from. */
  readText(): void {
    this.#text = this.#painter?.text() ?? '';
    this.requestUpdate();
  }

  /** Takes the colours of the page as they are now. */
  restyle(): void {
    if (this.#painter)
      this.#painter.terminal.options.theme = readTerminalTheme(this.renderRoot as ShadowRoot);
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.#scheme.addEventListener('change', this.#onScheme);
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.#scheme.removeEventListener('change', this.#onScheme);
    this.#resize.disconnect();
    this.#drawsOn?.drawOn(undefined);
    this.#drawsOn = undefined;
    this.#painter?.[Symbol.dispose]();
    this.#painter = undefined;
  }

  override render(): TemplateResult {
    return html`<div class="room" aria-hidden="true"><div class="screen"></div></div>
      <pre class="hidden-text" role="region" aria-label="What the terminal shows" tabindex="-1">${this.#text}</pre>`;
  }

  override updated(): void {
    const room = this.renderRoot.querySelector<HTMLElement>('.room');
    const host = this.renderRoot.querySelector<HTMLElement>('.screen');
    if (room === null || host === null || !this.isConnected) return;
    if (this.#painter === undefined) {
      this.#painter = new ScreenPainter(host, this.#look(), { scrollback: scrollbackLines });
      this.#resize.observe(room);
    }
    if (this.model === this.#drawsOn) return;
    this.#drawsOn?.drawOn(undefined);
    this.#drawsOn = this.model;
    this.model?.drawOn(this);
  }

  #look(): TerminalLook {
    const theme = readTerminalTheme(this.renderRoot as ShadowRoot);
    const mono = getComputedStyle(this).getPropertyValue('--cp-mono').trim() || fontFamily;
    return { theme, fontFamily: mono, fontSize: 13 };
  }

  /** Letters as large as fit. The size of a cell grows with that of its letters, near enough to measure once. */
  #fit(): void {
    const terminal = this.#painter?.terminal;
    const room = this.renderRoot.querySelector<HTMLElement>('.room');
    const drawn = this.renderRoot.querySelector<HTMLElement>('.xterm-screen');
    if (terminal === undefined || room === null || drawn === null || drawn.offsetWidth === 0) return;
    this.#fitted = `${terminal.cols}x${terminal.rows}`;
    const now = terminal.options.fontSize ?? largestPx;
    const width = (room.clientWidth / drawn.offsetWidth) * now;
    const height = (room.clientHeight / drawn.offsetHeight) * now;
    // Where the page gives it no height, as on a phone, it takes what its width needs.
    const fits = Math.floor(Math.min(width, height) * 4) / 4;
    const size = Math.min(largestPx, Math.max(smallestPx, fits));
    if (Math.abs(size - now) >= 0.25) terminal.options.fontSize = size;
  }
}
