import type { EmbedConnection } from '../client/connect-embed.ts';
import { playerHeightPx } from '../player-height.ts';
import { embedStyle } from './embed-style.ts';
import { make, makeFrame } from './make-frame.ts';
import { pageLook, watchLook } from './page-theme.ts';
import { Poster, recordingOf } from './poster.ts';
import { framePage } from './site.ts';
import { whenWanted } from './when-wanted.ts';

/**
 * A recorded session in a page: a picture of its terminal, and the player when that is pressed. No machine is loaded to watch.
 *
 * @element coppice-replay
 * @attr {string} recording - Address of the recording; the page has to be allowed to read it.
 * @attr {string} site - Address of the site that plays it; by default the one that this module was loaded from.
 * @attr {number} poster - Second of the session that the picture shows; 5 by default.
 * @attr {number} at - Second at which the player begins.
 * @attr {"auto"|"light"|"dark"} theme - By default as the page around it.
 * @attr {string} height - Height of the player in pixels; 460 by default, and 640 where it is narrow.
 * @attr {"lazy"|"click"|"eager"} loading - When the picture is loaded: when it is seen (default), never, or at once.
 * @attr {string} label - Its name for people; by default the recording's title.
 * @csspart screen - The picture.
 * @csspart play - The button over it.
 * @csspart frame - The frame with the player.
 * @csspart note - Problems.
 * @cssprop --cp-term-ground - Ground of the picture and of the player.
 * @cssprop --cp-accent - The colour of focus.
 * @fires coppice-play - The player is there.
 * @fires coppice-error - `detail.message`.
 */
export class CoppiceReplay extends HTMLElement {
  readonly #root = this.attachShadow({ mode: 'open' });
  readonly #area = make('div', 'frame');
  readonly #note = make('div', 'note');
  #over: AbortController | undefined;
  #connection: Promise<EmbedConnection> | undefined;

  connectedCallback(): void {
    if (this.#over) return;
    this.#over = new AbortController();
    const { signal } = this.#over;
    this.#root.adoptedStyleSheets = [embedStyle()];
    this.#note.role = 'status';
    const poster = new Poster(this, () => void this.play().catch(() => undefined));
    this.#area.replaceChildren(...poster.parts);
    this.#root.replaceChildren(this.#area, this.#note);
    watchLook(() => void this.#restyle(), signal);
    const draw = (): void =>
      void poster.draw(signal).catch((error: Error) => signal.aborted || this.#fail(error));
    whenWanted(this, draw, signal);
  }

  disconnectedCallback(): void {
    this.#over?.abort();
    this.#over = undefined;
    void this.#connection?.then((connection) => connection[Symbol.asyncDispose]()).catch(() => undefined);
    this.#connection = undefined;
  }

  /** Loads the player, once, and the recording into it. @throws what is told as `coppice-error` too; the next call tries again */
  play(): Promise<EmbedConnection> {
    this.#connection ??= this.#open().catch((error: Error) => {
      this.#connection = undefined;
      this.#fail(error);
      throw error;
    });
    return this.#connection;
  }

  async #open(): Promise<EmbedConnection> {
    const signal = this.#over?.signal;
    if (!signal) throw new TypeError('The element is in no page');
    const page = framePage(this.getAttribute('site'));
    const url = recordingOf(this);
    const frame = makeFrame(page, this.getAttribute('label') ?? 'Recording');
    const heightPx = Number(this.getAttribute('height')) || playerHeightPx(this.offsetWidth);
    frame.style.height = `${heightPx}px`;
    const before = [...this.#area.childNodes];
    this.#area.replaceChildren(frame);
    try {
      const [{ connectEmbed }, { fetchRecording }] = await Promise.all([
        import('../client/connect-embed.ts'),
        import('../client/fetch-recording.ts'),
      ]);
      const [connection, files] = await Promise.all([
        connectEmbed(frame, {
          origin: page.origin,
          signal,
          onEvent: (event) => {
            if (event.type === 'problem') this.#fail(new Error(event.message));
          },
        }),
        fetchRecording(url, signal),
      ]);
      connection.view.look(pageLook(this));
      connection.view.replay(files, Number(this.getAttribute('at')) || 0);
      this.#note.textContent = '';
      this.#emit('coppice-play', {});
      return connection;
    } catch (error) {
      this.#area.replaceChildren(...before);
      throw error;
    }
  }

  async #restyle(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    if (this.#over) connection?.view.look(pageLook(this));
  }

  #fail({ message }: Error): void {
    this.#note.textContent = message;
    this.#emit('coppice-error', { message });
  }

  #emit(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
