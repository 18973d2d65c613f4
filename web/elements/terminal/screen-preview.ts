import type { Terminal } from '@xterm/xterm';
import { BoundedTerminal } from './bounded-terminal.ts';
import type { TerminalLook } from './create-terminal.ts';
import { isAscii, loadGraphemes } from './load-graphemes.ts';

/** Shows a terminal's output of another time over its present output. Read-only. */
export class ScreenPreview implements Disposable {
  readonly #host: HTMLElement;
  #terminal: Terminal | undefined;
  #graphemes: Promise<void> | undefined;
  #resolve: () => void = () => {};

  /** `host` is an element over the terminal for the preview. */
  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Resolves when it is on the screen, or was disposed of before. */
  async show(
    bytes: Uint8Array,
    { columns, rows, look }: { columns: number; rows: number; look: TerminalLook },
  ): Promise<void> {
    this.#terminal ??= this.#open(look);
    this.#terminal.resize(columns, rows);
    this.#terminal.reset();
    if (!isAscii(bytes)) this.#graphemes ??= loadGraphemes(this.#terminal);
    await this.#graphemes;
    if (this.#terminal === undefined) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#resolve = resolve;
    // It draws with the next frame.
    this.#terminal.write(bytes, () => requestAnimationFrame(() => resolve()));
    await promise;
  }

  [Symbol.dispose](): void {
    this.#terminal?.dispose();
    this.#terminal = undefined;
    this.#graphemes = undefined;
    this.#host.hidden = true;
    this.#resolve();
  }

  #open(look: TerminalLook): Terminal {
    const terminal = new BoundedTerminal({
      ...look,
      disableStdin: true,
      scrollback: 0,
      minimumContrastRatio: 4.5,
      allowProposedApi: true,
    });
    this.#host.hidden = false;
    terminal.open(this.#host);
    return terminal;
  }
}
