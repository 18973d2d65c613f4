import type { Terminal } from '@xterm/xterm';
import type { ScreenAt, ScreenEvent } from '../../transports/replay-link.ts';
import { BoundedTerminal } from '../terminal/bounded-terminal.ts';
import type { TerminalLook } from '../terminal/create-terminal.ts';
import { loadGraphemes } from '../terminal/load-graphemes.ts';
import { holdViewport } from './hold-viewport.ts';

const nonAscii = /[^\0-\x7f]/;
/** The most columns and rows that a recording gets: its sizes are data. */
const mostColumns = 500;
const mostRows = 200;

/**
 * A terminal that shows what was recorded. Nothing of that leads out of it: what it answers is dropped, its titles and
 * clipboard commands are not listened to, and its links lead nowhere (H-9).
 */
export class ScreenPainter implements Disposable {
  readonly terminal: Terminal;
  /** Characters that were handed over and are not on the screen yet. */
  pendingCharacters = 0;
  #graphemes: Promise<void> | undefined;
  #work: Promise<void> = Promise.resolve();
  #shown = 0;
  #isDisposed = false;

  constructor(host: HTMLElement, look: TerminalLook, { scrollback }: { readonly scrollback: number }) {
    this.terminal = new BoundedTerminal({
      ...look,
      scrollback,
      disableStdin: true,
      cursorInactiveStyle: 'outline',
      minimumContrastRatio: 4.5,
      allowProposedApi: true,
      linkHandler: { activate: () => undefined },
    });
    this.terminal.open(host);
    // It cannot be typed into.
    if (this.terminal.textarea) this.terminal.textarea.tabIndex = -1;
  }

  /** Shows a screen in place of the one before. Resolves when it is drawn, or another one was asked for. */
  async show(screen: ScreenAt): Promise<void> {
    const number = ++this.#shown;
    const isLast = (): boolean => number === this.#shown && !this.#isDisposed;
    const work = this.#work.then(async () => {
      if (!isLast()) return;
      await this.#flush();
      this.terminal.reset();
      this.#resize(screen);
      const release = holdViewport(this.terminal);
      try {
        await this.#apply(screen.events, isLast);
      } finally {
        if (!this.#isDisposed) release();
      }
      if (isLast()) await this.#drawn();
    });
    this.#work = work.catch(() => undefined);
    await work;
  }

  /** Adds what came next. */
  write(events: readonly ScreenEvent[]): void {
    const number = this.#shown;
    const work = this.#work.then(() => this.#apply(events, () => number === this.#shown));
    this.#work = work.catch(() => undefined);
  }

  /** The text that the screen shows, line by line. */
  text(): string {
    const { active } = this.terminal.buffer;
    const lines = Array.from({ length: this.terminal.rows }, (_, row) =>
      (active.getLine(active.viewportY + row)?.translateToString(true) ?? '').trimEnd(),
    );
    return lines.join('\n').trimEnd();
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true;
    this.terminal.dispose();
  }

  async #apply(events: readonly ScreenEvent[], isWanted: () => boolean): Promise<void> {
    for (const event of events) {
      if (!isWanted() || this.#isDisposed) return;
      if (event.type === 'resize') {
        await this.#flush();
        this.#resize(event);
        continue;
      }
      if (nonAscii.test(event.data)) await this.#wide();
      const { length } = event.data;
      this.pendingCharacters += length;
      this.terminal.write(event.data, () => {
        this.pendingCharacters -= length;
      });
    }
    await this.#flush();
  }

  #wide(): Promise<void> {
    this.#graphemes ??= loadGraphemes(this.terminal);
    return this.#graphemes;
  }

  #resize({ columns, rows }: { readonly columns: number; readonly rows: number }): void {
    this.terminal.resize(clamp(columns, mostColumns), clamp(rows, mostRows));
  }

  #flush(): Promise<void> {
    if (this.#isDisposed) return Promise.resolve();
    return new Promise((resolve) => this.terminal.write('', resolve));
  }

  /** It draws with the next frame, which a page in the background has none of. */
  #drawn(): Promise<void> {
    if (document.hidden) return Promise.resolve();
    return new Promise((resolve) => requestAnimationFrame(() => resolve()));
  }
}

function clamp(value: number, most: number): number {
  return Math.min(most, Math.max(2, Math.floor(value) || 2));
}
