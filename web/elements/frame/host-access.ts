import type { CommandEnd } from '../../../protocol/sandbox.ts';
import type { Action } from '../model/actions.ts';
import type { Notices } from '../model/notices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { HostPanel } from '../move/host-panel.ts';

/** What the user looks at: a pane, and the process of its shell while one runs. */
export interface Seen {
  readonly pane: SandboxModel | undefined;
  readonly shellPid: number | undefined;
}

/** The way to what moves work to hosts. Most visits never need that, so it is loaded when one does. */
export class HostAccess {
  readonly #load: () => Promise<HostPanel>;
  readonly #notices: Notices;
  #panel: Promise<HostPanel> | undefined;
  #considered: CommandEnd | undefined;

  constructor(load: () => Promise<HostPanel>, notices: Notices) {
    this.#load = load;
    this.#notices = notices;
  }

  /** Does what an action asks about hosts. */
  async perform(action: Action, seen: Seen): Promise<void> {
    (await this.#open())?.perform(action, seen);
  }

  /** Asks whether to add the bridge that the fragment of a link names. */
  async openLink(hash: string): Promise<void> {
    (await this.#open())?.openLink(hash);
  }

  /** Looks once at a command that ended badly; without a host that is known, nothing is loaded for it. */
  async consider(trouble: CommandEnd, { pane, shellPid }: Seen): Promise<void> {
    if (trouble === this.#considered) return;
    this.#considered = trouble;
    if (pane === undefined || !knowsHosts()) return;
    await (await this.#open())?.consider(trouble, { pane, shellPid });
  }

  async #open(): Promise<HostPanel | undefined> {
    this.#panel ??= this.#load();
    try {
      return await this.#panel;
    } catch {
      this.#panel = undefined;
      const text = 'This part of the page could not be loaded. Try again with a network.';
      this.#notices.add({ text, tone: 'error' });
      return undefined;
    }
  }
}

/** Without loading what would know better (web/elements/move/bridge-book.ts). */
function knowsHosts(): boolean {
  try {
    return [sessionStorage, localStorage].some(
      (shelf) => (shelf.getItem('coppice.bridges') ?? '[]') !== '[]',
    );
  } catch {
    return false;
  }
}
