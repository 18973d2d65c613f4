import type { EmbedSession } from '../client/embed-session.ts';
import { embedStyle } from './embed-style.ts';
import { FileEditors } from './file-editors.ts';
import { make, makeFrame, shareWorker } from './make-frame.ts';
import { pageLook, watchLook } from './page-theme.ts';
import { readFiles } from './read-files.ts';
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
 * @attr {string} run - What the button *Run* enters into the terminal.
 * @attr {boolean} autorun - Also enters it when the sandbox has started.
 * @attr {string} files - JSON of texts by path, below the home directory; besides children with `data-file`.
 * @attr {boolean} readonly - Nothing can be typed or edited; *Run* and *Reset* stay.
 * @attr {"auto"|"light"|"dark"} theme - By default as the page around it.
 * @attr {string} height - Height of the terminal in pixels, or `auto` (default): as high as what it shows, within bounds.
 * @attr {"lazy"|"click"|"eager"} loading - Loads when it is seen (default), when *Run* is pressed, or at once.
 * @attr {string} label - Its name for people, such as `A first loop`.
 * @slot - Files, as children with `data-file`; not shown beside the editors.
 * @csspart bar - The row of buttons.
 * @csspart badge - The word *edited*.
 * @csspart editor - The text of a file.
 * @csspart frame - The frame with the terminal.
 * @csspart note - Results and problems.
 * @cssprop --cp-ground - Ground of editors.
 * @cssprop --cp-accent - The colour of *Run* and of focus.
 * @cssprop --cp-term-ground - Ground of the terminal; every other custom property of the site's page works too.
 * @fires coppice-start - It runs; `detail.sandbox` is the SDK's `Sandbox`.
 * @fires coppice-change - Whether its files differ from the start: `detail.edited`.
 * @fires coppice-command - A command of the terminal has ended: `detail.command`, `detail.exitCode`.
 * @fires coppice-error - `detail.message`.
 */
export class CoppiceSandbox extends HTMLElement {
  static readonly observedAttributes: readonly string[] = ['theme', 'readonly'];
  readonly #root = this.attachShadow({ mode: 'open' });
  #editors: FileEditors | undefined;
  #session: Promise<EmbedSession> | undefined;
  #frame: HTMLIFrameElement | undefined;
  #over: AbortController | undefined;
  readonly #badge = make('span', 'badge', 'edited');
  readonly #note = make('div', 'note');
  readonly #area = make('div', 'frame');

  connectedCallback(): void {
    if (this.#over) return;
    this.#over = new AbortController();
    this.#root.adoptedStyleSheets = [embedStyle()];
    this.#editors = new FileEditors(readFiles(this), {
      isReadonly: () => this.hasAttribute('readonly'),
      onEdit: () => void this.#tellChange(),
    });
    this.#badge.hidden = true;
    this.#note.role = 'status';
    this.#area.replaceChildren();
    this.#root.replaceChildren(this.#makeBar(), this.#editors.element, this.#area, this.#note);
    watchLook(() => void this.#restyle(), this.#over.signal);
    whenWanted(this, () => void this.start().catch(() => undefined), this.#over.signal);
  }

  /** Taken out of the page, it ends; moved within it, it stays, but a browser loads a frame that is moved anew. */
  disconnectedCallback(): void {
    this.#over?.abort();
    this.#over = undefined;
    void this.#session?.then((session) => session[Symbol.asyncDispose]()).catch(() => undefined);
    this.#session = undefined;
    this.#frame = undefined;
  }

  attributeChangedCallback(): void {
    this.#editors?.update();
    void this.#restyle();
  }

  /** Starts it, once. @throws what is told as `coppice-error` too; the next call tries again */
  start(): Promise<EmbedSession> {
    this.#session ??= this.#open().catch((error: Error) => {
      this.#session = undefined;
      this.#frame?.remove();
      this.#tell(error.message);
      this.#emit('coppice-error', { message: error.message });
      throw error;
    });
    return this.#session;
  }

  /** Starts it, writes what was edited, and enters `command`, by default that of its attribute `run`. */
  async run(command: string | null = this.getAttribute('run')): Promise<void> {
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

  async #open(): Promise<EmbedSession> {
    const signal = this.#over?.signal;
    if (!signal) throw new TypeError('The element is in no page');
    const page = framePage(this.getAttribute('site'));
    const snapshot = this.getAttribute('snapshot');
    const height = Number(this.getAttribute('height'));
    const frame = makeFrame(page, this.getAttribute('label') ?? 'Sandbox');
    if (height > 0) frame.style.height = `${height}px`;
    this.#frame = frame;
    this.#area.replaceChildren(frame);
    const runtime = this.getAttribute('runtime') === 'v86' ? 'v86' : 'shell';
    const [{ EmbedSession }] = await Promise.all([
      import('../client/embed-session.ts'),
      runtime === 'shell' ? shareWorker(page) : undefined,
    ]);
    const session = await EmbedSession.open(frame, {
      origin: page.origin,
      signal,
      look: pageLook(this),
      runtime,
      image: this.getAttribute('image') ?? undefined,
      snapshot: snapshot === null ? undefined : new URL(snapshot, document.baseURI),
      files: this.#editors?.takeAll() ?? [],
      onView: (event) => {
        if (event.type === 'problem') this.#emit('coppice-error', { message: event.message });
        else if (!(height > 0)) frame.style.height = `${event.px}px`;
      },
      onEvent: (event) => {
        if (event.type === 'command') this.#emit('coppice-command', { ...event });
        if (event.type === 'snapshot' || event.type === 'head') void this.#tellChange();
      },
    });
    this.#emit('coppice-start', { sandbox: session.sandbox });
    const run = this.getAttribute('run');
    if (run && this.hasAttribute('autorun')) session.enter(run);
    return session;
  }

  #makeBar(): HTMLElement {
    const bar = make('div', 'bar');
    bar.role = 'toolbar';
    bar.ariaLabel = this.getAttribute('label') ?? 'Sandbox';
    const run = this.getAttribute('run');
    const button = (text: string, title: string, act: () => Promise<unknown>): HTMLButtonElement => {
      const made = make('button', text.toLowerCase(), text);
      made.type = 'button';
      made.title = title;
      made.onclick = () => {
        made.disabled = true;
        const failed = (error: Error): void => this.#tell(error.message);
        void act()
          .catch(failed)
          .finally(() => (made.disabled = false));
      };
      return made;
    };
    const first = run
      ? button('Run', run, () => this.run())
      : button('Start', 'Start this sandbox', () =>
          this.start().then(({ connection }) => connection.view.focus()),
        );
    first.className = 'main';
    const space = make('span', 'space');
    bar.append(first, make('span', 'title', this.getAttribute('label') ?? ''), this.#badge, space);
    bar.append(button('Reset', 'Back to the files of this page', () => this.reset()));
    if (this.hasAttribute('readonly')) return bar;
    bar.append(
      button('Fork', 'Try something else in a copy beside', async () => (await this.start()).fork()),
      button('Compare', 'Which files differ', () => this.#compare()),
      button('Share', 'A link to what is here, or a file of it', () => this.#share()),
    );
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
    const session = await this.#session?.catch(() => undefined);
    const edited = this.#editors?.isEdited || (await session?.isEdited().catch(() => false)) || false;
    if (this.#badge.hidden !== edited) return;
    this.#badge.hidden = !edited;
    this.#emit('coppice-change', { edited });
  }

  async #restyle(): Promise<void> {
    const session = await this.#session?.catch(() => undefined);
    if (this.#over) session?.connection.view.look(pageLook(this));
  }

  #tell(message: string): void {
    this.#note.replaceChildren(message);
  }

  #emit(type: string, detail: object): void {
    this.dispatchEvent(new CustomEvent(type, { detail, bubbles: true, composed: true }));
  }
}
