import type { CommandEnd } from '../../../protocol/sandbox/events.ts';
import type { Action } from '../model/actions.ts';
import type { PlaceText } from '../model/explain-place.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { KnownHost } from '../model/known-host.ts';
import { asksGitServer, lackOf } from '../model/missing-in-tab.ts';
import type { RuntimeOffer } from '../model/move-state.ts';
import type { Notices } from '../model/notices.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import { runsInShell } from '../model/sandbox-state.ts';
import type { HostPanel } from '../move/host-panel.ts';

/** The active pane, and the process of its shell while one runs. */
export interface Seen {
  readonly pane: SandboxModel | undefined;
  readonly shellPid: number | undefined;
  /** Where that runs, and why. */
  readonly place?: PlaceText | undefined;
}

/** Access to the code that moves work to hosts. Most visits never need it, so it is loaded on first use. */
export class HostAccess {
  readonly #load: () => Promise<HostPanel>;
  readonly #notices: Notices;
  readonly #onHosts: (hosts: readonly KnownHost[]) => void;
  #panel: Promise<HostPanel> | undefined;
  readonly #considered = new WeakSet<CommandEnd>();
  /** Reasons for a host that the user has dismissed, by sandbox. */
  readonly #dismissed = new Map<string, Set<string>>();

  /** Calls `onHosts` with the hosts that the page knows, once that is loaded and whenever they change. */
  constructor(
    load: () => Promise<HostPanel>,
    notices: Notices,
    onHosts: (hosts: readonly KnownHost[]) => void = () => undefined,
  ) {
    this.#load = load;
    this.#notices = notices;
    this.#onHosts = onHosts;
  }

  /** Has the known hosts told to `onHosts`, and asks each whether it answers; loads nothing if there are none. */
  async findHosts(): Promise<void> {
    if (this.#panel !== undefined || knowsHosts()) (await this.#open())?.checkHosts();
  }

  /** Performs an action that concerns hosts. */
  async perform(action: Action, seen: Seen): Promise<void> {
    if (action.type === 'dismiss-offer' && seen.pane !== undefined) this.#noteDismissed(seen.pane);
    (await this.#open())?.perform(action, seen);
  }

  /** The host with the bridge of that address. */
  async reach(url: string): Promise<HostPlace | undefined> {
    return (await this.#open())?.reach(url);
  }

  /** Asks whether to add the bridge that the fragment of a link names. */
  async openLink(hash: string): Promise<void> {
    (await this.#open())?.openLink(hash);
  }

  /**
   * Checks a failed command once, and suggests a host in the pane if the command would succeed there. What no tab
   * can do is suggested at once; for other reasons nothing is loaded unless a host is known. Reasons that the user
   * has dismissed in a sandbox are not suggested there again.
   */
  async consider(trouble: CommandEnd, { pane, shellPid }: Seen): Promise<void> {
    if (pane === undefined || this.#considered.has(trouble)) return;
    this.#considered.add(trouble);
    const isHere = pane.host === undefined && !pane.state.readOnly;
    const isShell = runsInShell(pane.state);
    if (isHere && isShell && asksGitServer(trouble)) return this.#offerGit(trouble, pane);
    const lack = isHere ? lackOf(trouble, isShell) : undefined;
    if (lack !== undefined) {
      const { reason, inMachine, onHost } = lack;
      const offer = { command: trouble.command, reasons: [reason], inMachine, onHost: onHost === 'same' };
      if (this.#isDismissed(offer, pane)) return;
      pane.showOffer(offer);
      const other = onHost === 'other' && knowsHosts() ? await (await this.#open())?.findWide() : undefined;
      if (other !== undefined && pane.state.offer === offer) pane.showOffer({ ...offer, other });
      return;
    }
    if (!knowsHosts()) return;
    const offer = await (await this.#open())?.consider(trouble, { pane, shellPid });
    // The user may have answered the previous suggestion meanwhile.
    if (offer !== undefined && !this.#isDismissed(offer, pane)) pane.showOffer(offer);
  }

  #offerGit({ command }: CommandEnd, pane: SandboxModel): void {
    const reasons = ['the git of a shell asks no servers; the Git panel clones, fetches and pushes'];
    const offer = { command, reasons, isForGit: true };
    if (!this.#isDismissed(offer, pane)) pane.showOffer(offer);
  }

  #noteDismissed({ state: { info, offer } }: SandboxModel): void {
    if (info === undefined || offer === undefined) return;
    const before = this.#dismissed.get(info.id) ?? [];
    this.#dismissed.set(info.id, new Set([...before, ...offer.reasons]));
  }

  #isDismissed({ reasons }: RuntimeOffer, { state: { info } }: SandboxModel): boolean {
    const dismissed = info && this.#dismissed.get(info.id);
    return dismissed !== undefined && reasons.every((reason) => dismissed.has(reason));
  }

  async #open(): Promise<HostPanel | undefined> {
    this.#panel ??= this.#load().then((panel) => {
      panel.follow(this.#onHosts);
      return panel;
    });
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

/** Without loading the code that knows for certain (web/elements/move/bridge-book.ts). */
function knowsHosts(): boolean {
  try {
    return [sessionStorage, localStorage].some(
      (shelf) => (shelf.getItem('coppice.bridges') ?? '[]') !== '[]',
    );
  } catch {
    return false;
  }
}
