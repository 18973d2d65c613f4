import { readTerminalTheme } from '../terminal/terminal-theme.ts';
import type { ReplayModel } from './replay-model.ts';
import { ScreenPainter } from './screen-painter.ts';

const fontSizePx = 10;

/** A small picture of the terminal at an instant. One is drawn at a time, and of those asked for meanwhile the last. */
export class TimelinePicture implements Disposable {
  readonly #host: HTMLElement;
  readonly #painter: ScreenPainter;
  #wanted: { readonly model: ReplayModel; readonly at: number } | undefined;
  #isDrawing = false;

  /** `host` is as wide as the picture is to be; `root` has the page's colours. */
  constructor(host: HTMLElement, root: ShadowRoot) {
    this.#host = host;
    const fontFamily = getComputedStyle(host).getPropertyValue('--cp-mono').trim() || 'monospace';
    const look = { theme: readTerminalTheme(root), fontFamily, fontSize: fontSizePx };
    this.#painter = new ScreenPainter(host, look, { scrollback: 0 });
  }

  show(wanted: { readonly model: ReplayModel; readonly at: number }): void {
    this.#wanted = wanted;
    if (!this.#isDrawing) void this.#draw();
  }

  [Symbol.dispose](): void {
    this.#wanted = undefined;
    this.#painter[Symbol.dispose]();
  }

  async #draw(): Promise<void> {
    this.#isDrawing = true;
    try {
      for (let wanted = this.#wanted; wanted !== undefined; wanted = this.#wanted) {
        this.#wanted = undefined;
        const { model, at } = wanted;
        const screen = await model.link?.screen({ terminal: model.state.terminal, at });
        if (screen === undefined) continue;
        await this.#painter.show(screen);
        this.#scale();
      }
    } catch {
      // The picture stays as it was; what is wrong is told where one goes.
    } finally {
      this.#isDrawing = false;
    }
  }

  #scale(): void {
    const drawn = this.#host.querySelector<HTMLElement>('.xterm');
    const screen = this.#host.querySelector<HTMLElement>('.xterm-screen');
    if (drawn === null || screen === null || screen.offsetWidth === 0) return;
    const scale = this.#host.clientWidth / screen.offsetWidth;
    drawn.style.transformOrigin = '0 0';
    drawn.style.transform = `scale(${scale})`;
    this.#host.style.height = `${Math.ceil(screen.offsetHeight * scale)}px`;
  }
}
