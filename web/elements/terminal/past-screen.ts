import type { TerminalSize } from '../model/sandbox-model.ts';
import type { Scrubbing } from '../model/sandbox-state.ts';
import type { TerminalLook } from './create-terminal.ts';
import { ScreenPreview } from './screen-preview.ts';

const noScreen = new TextEncoder().encode(
  '\x1b[2mNo screen of this terminal was recorded here. The files are in the changes.\x1b[0m',
);

/** Shows a terminal's output of the past state under the timeline's pointer, over its present output. */
export class PastScreen implements Disposable {
  readonly #host: HTMLElement;
  readonly #preview: ScreenPreview;
  /** The past state that is shown, or loading. */
  #shown: string | undefined;

  /** `host` is an element over the terminal for the preview. */
  constructor(host: HTMLElement) {
    this.#host = host;
    this.#preview = new ScreenPreview(host);
  }

  /** Shows it once it is loaded, unless another was requested meanwhile; `undefined` shows the terminal again. */
  async show(
    past: Scrubbing | undefined,
    options: {
      readonly size: TerminalSize;
      readonly look: () => TerminalLook;
      readonly read: (checkpoint: number) => Promise<Uint8Array | undefined>;
    },
  ): Promise<void> {
    const key = past && `${past.checkpoint} ${past.snapshot}`;
    if (key === this.#shown) return;
    this.#shown = key;
    if (past === undefined) {
      this.#preview[Symbol.dispose]();
      delete this.#host.dataset.checkpoint;
      return;
    }
    const { checkpoint } = past;
    const bytes = checkpoint === undefined ? noScreen : await options.read(checkpoint).catch(() => undefined);
    if (this.#shown !== key) return;
    const shown = bytes === undefined || bytes.length === 0 ? noScreen : bytes;
    await this.#preview.show(shown, { ...options.size, look: options.look() });
    this.#host.dataset.checkpoint = String(checkpoint ?? '');
  }

  [Symbol.dispose](): void {
    this.#shown = undefined;
    this.#preview[Symbol.dispose]();
  }
}
