import { make } from './make-frame.ts';

/** The picture of an element's recording with the button over it, in place of the player, which is not loaded yet. */
export class Poster {
  readonly #element: HTMLElement;
  readonly #screen = make('pre', 'screen', '\n\n\n\n');
  readonly #play = make('button', 'play', '▶');

  constructor(element: HTMLElement, onPlay: () => void) {
    this.#element = element;
    this.#screen.ariaHidden = 'true';
    this.#play.type = 'button';
    this.#play.ariaLabel = `Play ${element.getAttribute('label') ?? 'the recording'}`;
    this.#play.onclick = onPlay;
  }

  get parts(): readonly HTMLElement[] {
    return [this.#screen, this.#play];
  }

  /** Loads the picture. @throws TypeError where the element names no recording, and what reading one throws */
  async draw(signal: AbortSignal): Promise<void> {
    const url = recordingOf(this.#element);
    const atSeconds = Number(this.#element.getAttribute('poster') ?? 5) || 0;
    const { drawFirstFrame } = await import('../first-frame/draw-first-frame.ts');
    const title = await drawFirstFrame(this.#screen, { url, atSeconds, signal });
    if (title && !this.#element.hasAttribute('label')) this.#play.ariaLabel = `Play ${title}`;
  }
}

/** The address of an element's recording. @throws TypeError */
export function recordingOf(element: HTMLElement): URL {
  const address = element.getAttribute('recording');
  if (!address) throw new TypeError(`${element.localName}: its attribute "recording" is missing`);
  return new URL(address, document.baseURI);
}
