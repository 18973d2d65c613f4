import { SandboxError } from '../../../protocol/errors.ts';
import type { SandboxBackend } from '../../../protocol/sandbox/backend.ts';
import type { Progress } from '../../../protocol/sandbox/progress.ts';
import { StartProgress } from '../../elements/terminal/start-progress.ts';
import { TouchKeys } from '../../elements/terminal/touch-keys.ts';
import { embedLimits } from '../limits.ts';
import type { EmbedLook, ViewEvent } from '../messages.ts';
import { parseViewMessage } from '../parse-view-message.ts';
import { playerHeightPx } from '../player-height.ts';
import { EmbedTerminal } from './embed-terminal.ts';
import type { ShownReplay } from './show-replay.ts';

customElements.define('coppice-progress', StartProgress);
customElements.define('coppice-touch-keys', TouchKeys);
customElements.define('coppice-embed-terminal', EmbedTerminal);

/** What a frame shows: terminals of its sandboxes, or the player with a recording. Pages tell it through their ports. */
export class FrameView {
  readonly #backend: SandboxBackend;
  readonly #panes: HTMLElement;
  readonly #status: HTMLElement;
  readonly #terminals = new Map<string, EmbedTerminal>();
  readonly #ports = new Set<MessagePort>();
  #progress: StartProgress | undefined;
  #replay: ShownReplay | undefined;
  #readonly = false;

  constructor(backend: SandboxBackend, { panes, status }: { panes: HTMLElement; status: HTMLElement }) {
    this.#backend = backend;
    this.#panes = panes;
    this.#status = status;
    panes.addEventListener('wanted', () => this.#tellHeight());
    panes.addEventListener('problem', (event) => this.problem((event as CustomEvent<string>).detail));
  }

  /** Takes a page's port. */
  listen(port: MessagePort): void {
    this.#ports.add(port);
    port.addEventListener('close', () => this.#ports.delete(port));
    port.onmessage = ({ data }: MessageEvent<unknown>) => {
      const message = parseViewMessage(data);
      if (message === undefined) return;
      if (message.type === 'look') this.look(message.look);
      else if (message.type === 'show') void this.show(message.sandboxes);
      else if (message.type === 'enter') this.#terminals.get(message.sandbox)?.enter(message.line);
      else if (message.type === 'replay') void this.#play(message);
      else if (message.type === 'focus') this.#terminals.values().next().value?.focus();
    };
  }

  look({ theme, readonly, properties }: EmbedLook): void {
    const root = document.documentElement;
    if (theme === 'auto') delete root.dataset.theme;
    else root.dataset.theme = theme;
    for (const [name, value] of Object.entries(properties)) root.style.setProperty(name, value);
    this.#readonly = readonly;
    for (const terminal of this.#terminals.values()) {
      terminal.readonly = readonly;
      terminal.restyle();
    }
  }

  /** Terminals stay that are shown already; where there are none, a recording is. */
  async show(sandboxes: readonly { readonly id: string; readonly title: string }[]): Promise<void> {
    this.#replay?.hide(sandboxes.length > 0);
    const wanted = new Set(sandboxes.map(({ id }) => id));
    for (const [id, terminal] of this.#terminals) {
      if (wanted.has(id)) continue;
      terminal.remove();
      this.#terminals.delete(id);
    }
    for (const { id, title } of sandboxes) {
      const known = this.#terminals.get(id);
      const terminal = known ?? (document.createElement('coppice-embed-terminal') as EmbedTerminal);
      terminal.heading = sandboxes.length > 1 ? title : '';
      if (known) continue;
      terminal.readonly = this.#readonly;
      this.#terminals.set(id, terminal);
      this.#panes.append(terminal);
      try {
        terminal.connection = await this.#backend.connect({ id });
      } catch (error) {
        this.problem(SandboxError.from(error).message);
      }
    }
    if (sandboxes.length > 0) this.#settle();
    this.#tellHeight();
  }

  enter(id: string, line: string): void {
    this.#terminals.get(id)?.enter(line);
  }

  progress(progress: Progress): void {
    this.#progress ??= this.#showProgress();
    this.#progress.progress = progress;
  }

  problem(message: string): void {
    const cut = message.slice(0, embedLimits.messageCharacters);
    this.#settle();
    this.#status.hidden = false;
    this.#status.className = 'problem';
    this.#status.textContent = cut;
    this.#tell({ type: 'problem', message: cut });
  }

  async #play({ files, at }: { readonly files: readonly File[]; readonly at: number }): Promise<void> {
    try {
      const { showReplay } = await import('./show-replay.ts');
      this.#replay?.remove();
      this.#replay = undefined;
      await this.show([]);
      this.#settle();
      this.#replay = showReplay(this.#panes, {
        ...{ files, at, backend: this.#backend },
        onLive: async (id) => {
          await this.show([{ id, title: '' }]);
          this.#tell({ type: 'continued', sandbox: id });
        },
        onBack: () => void this.show([]),
      });
      await this.#replay.play();
    } catch (error) {
      this.problem(SandboxError.from(error).message);
    }
  }

  #showProgress(): StartProgress {
    const element = document.createElement('coppice-progress') as StartProgress;
    this.#status.replaceChildren(element);
    return element;
  }

  /** Nothing is being loaded any more. */
  #settle(): void {
    this.#progress = undefined;
    this.#status.hidden = true;
    this.#status.className = '';
    this.#status.replaceChildren();
  }

  /** Of terminals beside each other the highest counts, of those below each other their sum. */
  #tellHeight(): void {
    const heights = [...this.#terminals.values()].map(({ wantedPx }) => wantedPx);
    if (heights.length === 0 && this.#replay) heights.push(playerHeightPx(innerWidth));
    const isStacked = getComputedStyle(this.#panes).gridAutoFlow === 'row';
    const terminals = isStacked ? heights.reduce((sum, height) => sum + height, 0) : Math.max(0, ...heights);
    const besides = this.#status.offsetHeight + (this.#replay?.backPx ?? 0);
    if (terminals > 0) this.#tell({ type: 'height', px: terminals + besides });
  }

  #tell(event: ViewEvent): void {
    for (const port of this.#ports) port.postMessage(event);
  }
}
