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
  readonly #considered = new WeakSet<CommandEnd>();
  /** Sandboxes of which the user said "not now": as many as there are times to say so. */
  readonly #dismissed = new Set<string>();

  constructor(load: () => Promise<HostPanel>, notices: Notices) {
    this.#load = load;
    this.#notices = notices;
  }

  /** Does what an action asks about hosts. */
  async perform(action: Action, seen: Seen): Promise<void> {
    const id = seen.pane?.state.info?.id;
    if (action.type === 'dismiss-offer' && id !== undefined) this.#dismissed.add(id);
    (await this.#open())?.perform(action, seen);
  }

  /** Asks whether to add the bridge that the fragment of a link names. */
  async openLink(hash: string): Promise<void> {
    (await this.#open())?.openLink(hash);
  }

  /**
   * Looks once at a command that ended badly, and remarks in the pane when it would do better on a host. Without
   * one that is known nothing is loaded for it; of a sandbox where such a remark was dismissed, no more is said.
   */
  async consider(trouble: CommandEnd, { pane, shellPid }: Seen): Promise<void> {
    if (pane === undefined || this.#considered.has(trouble)) return;
    this.#considered.add(trouble);
    if (this.#isDismissed(pane) || !knowsHosts()) return;
    const offer = await (await this.#open())?.consider(trouble, { pane, shellPid });
    // The user may have answered the remark before it meanwhile.
    if (offer !== undefined && !this.#isDismissed(pane)) pane.showOffer(offer);
  }

  #isDismissed({ state }: SandboxModel): boolean {
    return state.info !== undefined && this.#dismissed.has(state.info.id);
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
