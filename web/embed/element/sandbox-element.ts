import type { EmbedConnection } from '../client/connect-embed.ts';
import type { EmbedSession } from '../client/embed-session.ts';
import { embedRuntime, sharesWorker } from '../embed-runtime.ts';
import type { ViewEvent } from '../messages.ts';
import { playerHeightPx } from '../player-height.ts';
import { embedStyle } from './embed-style.ts';
import { FileEditors } from './file-editors.ts';
import { make, makeFrame, shareWorker } from './make-frame.ts';
import { pageLook, watchLook } from './page-theme.ts';
import { Poster, recordingOf } from './poster.ts';
import { readFiles } from './read-files.ts';
import { SandboxBar } from './sandbox-bar.ts';
import { framePage } from './site.ts';
import { whenWanted } from './when-wanted.ts';

/**
 * A sandbox in a page: its files to edit, a button that runs a command, and its terminal, in a frame of a Coppice site. Its children with `data-file` are its files,
 * and what is shown without JavaScript.
 *
 * @element coppice-sandbox
 * @attr {string} site - Address of the site that runs it; by default the one that this module was loaded from.
 * @attr {"shell"|"v86"} runtime - `shell` (default) or `v86`, a whole machine.
 * @attr {string} image - Image of a machine.
 * @attr {string} snapshot - Address of the file of a snapshot to begin with; the page has to be allowed to read it.
 * @attr {string} recording - Address of a recording to begin with: its picture, which plays when it is pressed; *Continue from here* in the player makes the sandbox. The page has to be allowed to read it.
 * @attr {number} poster - Second of the recording that the picture shows; 5 by default.
 * @attr {number} at - Second at which the player begins.
 * @attr {string} run - What the button *Run* enters into the terminal.
 * @attr {boolean} autorun - Also enters it when the sandbox has started.
 * @attr {string} files - JSON of texts by path, below the home directory; besides children with `data-file`.
 * @attr {boolean} readonly - Nothing can be typed or edited; *Run* and *Reset* stay.
 * @attr {"auto"|"light"|"dark"} theme - By default as the page around it.
 * @attr {string} height - Height of the terminal in pixels, or `auto` (default): as high as what it shows, within bounds.
 * @attr {"lazy"|"click"|"eager"} loading - Loads when it is seen (default), when *Run* is pressed, or at once; of a recording, its picture.
 * @attr {string} label - Its name for people, such as `A first loop`.
 * @slot - Files, as children with `data-file`; not shown beside the editors.
 * @csspart bar - The row of buttons.
 * @csspart badge - The word *edited*.
 * @csspart editor - The text of a file.
 * @csspart frame - The frame with the terminal.
 * @csspart screen - The picture of a recording.
 * @csspart play - The button over it.
 * @csspart note - Results and problems.
 * @cssprop --cp-ground - Ground of editors.
 * @cssprop --cp-accent - The colour of *Run* and of focus.
 * @cssprop --cp-term-ground - Ground of the terminal; every other custom property of the site's page works too.
 * @fires coppice-play - The player is there.
 * @fires coppice-start - It runs; `detail.sandbox` is the SDK's `Sandbox`. Whenever its reader goes on from the recording, it is another one, and the one before is deleted.
 * @fires coppice-change - Whether its files differ from the start: `detail.edited`.
 * @fires coppice-command - A command of the terminal has ended: `detail.command`, `detail.exitCode`.
 * @fires coppice-error - `detail.message`.
 */
export class CoppiceSandbox extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ['theme', 'readonly'];
  readonly #root = this.attachShadow({ mode: 'open' });
  #editors: FileEditors | undefined;
  #session: Promise<EmbedSession> | undefined;
  /** That of `#session`, once it has a sandbox. */
  #live: EmbedSession | undefined;
  #connection: EmbedConnection | undefined;
  #poster: Poster | undefined;
  #over: AbortController | undefined;
  #bar: SandboxBar | undefined;
  readonly #badge = make('span', 'badge', 'edited');
  readonly #note = make('div', 'note');
  readonly #area = make('div', 'frame');

  connectedCallback(): void {
    if (this.#over) return;
    this.#over = new AbortController();
    const { signal } = this.#over;
    const start = (): void => void this.start().catch(() => undefined);
    this.#poster = this.hasAttribute('recording') ? new Poster(this, start) : undefined;
    this.#root.adoptedStyleSheets = [embedStyle()];
    this.#editors = new FileEditors(readFiles(this), {
      isReadonly: () => this.hasAttribute('readonly'),
      onEdit: () => void this.#tellChange(),
    });
    this.#badge.hidden = true;
    this.#note.role = 'status';
    this.#area.replaceChildren(...(this.#poster?.parts ?? []));
    this.#bar = this.#makeBar();
    // What needs a sandbox, as long as a recording stands in its place.
    if (this.#poster) this.#bar.hideButtons(true);
    this.#root.replaceChildren(this.#bar.element, this.#editors.element, this.#area, this.#note);
    watchLook(() => this.#restyle(), signal);
    const draw = (poster: Poster): void =>
      void poster.draw(signal).catch((error: Error) => signal.aborted || this.#fail(error));
    whenWanted(this, this.#poster ? draw.bind(undefined, this.#poster) : start, signal);
  }

  /** Taken out of the page, it ends; moved within it, it stays, but a browser loads a frame that is moved anew. */
  disconnectedCallback(): void {
    this.#over?.abort();
    this.#over = undefined;
    void this.#connection?.[Symbol.asyncDispose]();
    this.#connection = undefined;
    this.#session = undefined;
    this.#live = undefined;
  }

  attributeChangedCallback(): void {
    this.#editors?.update();
    this.#restyle();
  }

  /**
   * Starts it, once; with a recording, that is played, and this resolves when its reader goes on from it.
   * @throws what is told as `coppice-error` too; the next call tries again
   */
  start(): Promise<EmbedSession> {
    const signal = this.#over?.signal;
    if (!signal) return Promise.reject(new TypeError('The element is in no page'));
    this.#session ??= this.#open(signal).catch((error: Error) => {
      if (signal.aborted) throw error;
      void this.#connection?.[Symbol.asyncDispose]();
      this.#connection = undefined;
      this.#session = undefined;
      this.#area.replaceChildren(...(this.#poster?.parts ?? []));
      this.#fail(error);
      throw error;
    });
    return this.#session;
  }

  /** Starts it, writes what was edited, and enters `command`, by default that of its attribute `run`. */
  async runCommand(command: string | null = this.getAttribute('run')): Promise<void> {
    const session = await this.start();
    this.#tell('');
    await session.write(this.#editors?.takeEdited() ?? []);
    if (command) session.enter(command);
  }

  /** Goes back to the files that the page gave. */
  async reset(): Promise<void> {
    this.#editors?.reset();
    await (await this.start()).reset();
    this.#tell('');
    await this.#tellChange();
  }

  async #open(signal: AbortSignal): Promise<EmbedSession> {
    const page = framePage(this.getAttribute('site'));
    const recording = this.#poster && recordingOf(this);
    const snapshot = this.getAttribute('snapshot');
    const height = Number(this.getAttribute('height'));
    const frame = makeFrame(page, this.getAttribute('label') ?? 'Sandbox');
    const firstPx = height || (recording ? playerHeightPx(this.offsetWidth) : 0);
    if (firstPx > 0) frame.style.height = `${firstPx}px`;
    this.#area.replaceChildren(frame);
    const runtime = embedRuntime(this.getAttribute('runtime'));
    const [{ EmbedSession }, { connectEmbed }] = await Promise.all([
      import('../client/embed-session.ts'),
      import('../client/connect-embed.ts'),
      sharesWorker[runtime] ? shareWorker(page) : undefined,
    ]);
    const continued = Promise.withResolvers<string>();
    const onEvent = (event: ViewEvent): void => {
      if (event.type === 'problem') this.#emit('coppice-error', { message: event.message });
      else if (event.type === 'height') frame.style.height = `${height || event.px}px`;
      else {
        continued.resolve(event.sandbox);
        this.#session = this.#session?.then((session) => this.#continueIn(event.sandbox, session));
        this.#session?.catch(() => undefined); // Whoever has started it is told.
      }
    };
    const connection = await connectEmbed(frame, { origin: page.origin, signal, onEvent });
    this.#connection = connection;
    connection.view.look(pageLook(this));
    if (recording) await this.#play(connection, { recording, signal });
    const session = await EmbedSession.open(connection, {
      runtime,
      signal,
      image: this.getAttribute('image') ?? undefined,
      snapshot: snapshot === null ? undefined : new URL(snapshot, document.baseURI),
      continued: recording && continued.promise,
      takeFiles: () => this.#editors?.takeAll() ?? [],
      onEvent: (event) => {
        if (event.type === 'command') this.#emit('coppice-command', { ...event });
        if (event.type === 'snapshot' || event.type === 'head') void this.#tellChange();
      },
    });
    this.#started(session);
    return session;
  }

  async #play(
    { view }: EmbedConnection,
    { recording, signal }: { readonly recording: URL; readonly signal: AbortSignal },
  ): Promise<void> {
    const { fetchRecording } = await import('../client/fetch-recording.ts');
    view.replay(await fetchRecording(recording, signal), Number(this.getAttribute('at')) || 0);
    this.#tell('');
    this.#emit('coppice-play', {});
  }

  /** The first sandbox that goes on from a recording is what the session has begun with. */
  async #continueIn(id: string, session: EmbedSession): Promise<EmbedSession> {
    if (session.sandbox.id === id) return session;
    try {
      await session.continueIn(id);
      this.#started(session);
    } catch (error) {
      this.#fail(error as Error);
    }
    return session;
  }

  #started(session: EmbedSession): void {
    this.#live = session;
    this.#bar?.hideButtons(false);
    this.#emit('coppice-start', { sandbox: session.sandbox });
    const run = this.getAttribute('run');
    if (run && this.hasAttribute('autorun')) session.enter(run);
    void this.#tellChange();
  }

  #makeBar(): SandboxBar {
    const run = this.getAttribute('run');
    const bar = new SandboxBar(this.getAttribute('label'), (error) => this.#tell(error.message));
    if (run) bar.addMain('Run', run, () => this.runCommand());
    else bar.addMain('Start', 'Start this sandbox', async () => (await this.start()).connection.view.focus());
    bar.addSpace(this.#badge);
    bar.add('Reset', 'Back to the files of this page', () => this.reset());
    if (this.hasAttribute('readonly')) return bar;
    bar.add('Fork', 'Try something else in a copy beside', async () => (await this.start()).fork());
    bar.add('Compare', 'Which files differ', () => this.#compare());
    bar.add('Share', 'A link to what is here, or a file of it', () => this.#share());
    return bar;
  }

  async #compare(): Promise<void> {
    const session = await this.start();
    await session.write(this.#editors?.takeEdited() ?? []);
    const { from, to, changes } = await session.compare();
    if (changes.length === 0) return this.#tell(`No file differs between ${from} and ${to}.`);
    const list = document.createElement('ul');
    for (const { type, path } of changes.slice(0, 200)) {
      const row = document.createElement('li');
      row.textContent = `${type} ${path}`;
      list.append(row);
    }
    this.#tell(
      `From ${from} to ${to}: ${changes.length} ${changes.length === 1 ? 'path differs' : 'paths differ'}.`,
    );
    this.#note.append(list);
  }

  async #share(): Promise<void> {
    const session = await this.start();
    await session.write(this.#editors?.takeEdited() ?? []);
    const { share } = await import('../client/share.ts');
    const site = new URL('../', framePage(this.getAttribute('site')));
    this.#tell(await share(await session.snapshotFile(), site));
  }

  async #tellChange(): Promise<void> {
    const edited = this.#editors?.isEdited || (await this.#live?.isEdited().catch(() => false)) || false;
    if (this.#badge.hidden !== edited) return;
    this.#badge.hidden = !edited;
    this.#emit('coppice-change', { edited });
  }

  #restyle(): void {
    this.#connection?.view.look(pageLook(this));
  }

  #fail({ message }: Error): void {
    this.#tell(message);
    this.#emit('coppice-error', { message });
  }

  #tell(message: string): void {
    this.#note.replaceChildren(message);
  }

  #emit(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
