import { SandboxError } from '../../../protocol/errors.ts';
import type { CommandEnd } from '../../../protocol/sandbox/events.ts';
import { type Action, act } from '../model/actions.ts';
import type { PlaceText } from '../model/explain-place.ts';
import type { HostPlace } from '../model/host-place.ts';
import type { KnownHost } from '../model/known-host.ts';
import type { RuntimeOffer } from '../model/move-state.ts';
import type { PreferenceStore } from '../model/preferences.ts';
import type { SandboxModel } from '../model/sandbox-model.ts';
import type { Workspace } from '../model/workspace.ts';
import { assessTrouble } from './assess-trouble.ts';
import { type BridgeEntry, readBridgeLink } from './bridge-address.ts';
import { BridgeBook, bridgesKey, type Exclusively } from './bridge-book.ts';
import { BridgeDialog } from './bridge-dialog.ts';
import { type BridgeLink, type ConnectBridge, hasToken, type LinkState } from './bridge-link.ts';
import { BridgeLinks } from './bridge-links.ts';
import { lacksImage } from './host-images.ts';
import { MoveBar } from './move-bar.ts';
import { MoveDesk } from './move-desk.ts';

/** The page's code for moving work, all loaded on first use. */
export class HostPanel {
  readonly #workspace: Workspace;
  readonly #preferences: PreferenceStore;
  readonly #links: BridgeLinks;
  readonly #desk: MoveDesk;
  readonly #dialog: BridgeDialog;

  /** Adds its dialog to `root`, from where its actions bubble up to the page. */
  constructor(
    root: ParentNode & Node,
    parts: {
      workspace: Workspace;
      preferences: PreferenceStore;
      connect: ConnectBridge;
      /** Whether the dialog offers the sandboxes of hosts, which the page around it then opens; by default it does. */
      listsSandboxes?: boolean;
    },
  ) {
    define('coppice-move', MoveBar);
    define('coppice-bridges', BridgeDialog);
    this.#workspace = parts.workspace;
    this.#preferences = parts.preferences;
    this.#links = new BridgeLinks(new BridgeBook(pageShelves(), whileNoOtherTabDoes), {
      connect: parts.connect,
      onRenewed: (link) => this.#workspace.reopenLost(link),
    });
    // Only other tabs fire this. Never removed, because the panel lives as long as its page.
    addEventListener('storage', ({ key }) => {
      if (key === bridgesKey || key === null) void this.#links.reread();
    });
    this.#desk = new MoveDesk(parts.workspace);
    this.#dialog = document.createElement('coppice-bridges') as BridgeDialog;
    this.#dialog.links = this.#links;
    this.#dialog.notices = parts.workspace.notices;
    this.#dialog.listsSandboxes = parts.listsSandboxes ?? true;
    root.append(this.#dialog);
  }

  /** Performs an action that concerns hosts. `shellPid`: the visible shell. */
  perform(
    action: Action,
    {
      pane,
      shellPid,
      place,
    }: { pane: SandboxModel | undefined; shellPid: number | undefined; place?: PlaceText | undefined },
  ): void {
    this.#dialog.place = place;
    switch (action.type) {
      case 'open-bridges':
        this.#open(undefined, action.bridge);
        break;
      case 'new-sandbox':
        this.#create(action);
        break;
      case 'run-on-host':
        this.#runOnHost(action, { pane, shellPid });
        break;
      case 'run-in-machine':
        if (pane !== undefined) this.#goThere(this.#desk.runInMachine(pane, { shellPid }));
        break;
      case 'bring-back':
        if (pane?.host !== undefined) this.#goThere(this.#desk.bringBack(pane, { shellPid }));
        break;
      case 'dismiss-offer':
        pane?.showOffer(undefined);
        break;
      case 'stop-offers':
        pane?.showOffer(undefined);
        this.#preferences.set({ suggestHosts: false });
        break;
      case 'cancel-move':
        if (pane !== undefined) this.#desk.cancel(pane);
        break;
      case 'open-on-host':
        this.#openOnHost(action.sandbox, action.bridge);
        break;
      case 'delete-on-host':
        this.#deleteOnHost(action.sandbox, action.bridge);
        break;
    }
  }

  /** Calls `listener` with the known hosts, now and whenever they change. */
  follow(listener: (hosts: readonly KnownHost[]) => void): void {
    const tell = (): void => listener(this.#known.map(describeHost));
    this.#links.addEventListener('change', tell);
    tell();
  }

  /** The host with the bridge of that address, known or not; `undefined` if that is no address of one. */
  reach(url: string): HostPlace | undefined {
    return this.#links.reach(url);
  }

  /** Asks each host again whether it answers. */
  checkHosts(): void {
    this.#links.checkAll();
  }

  /** Shows the hosts, and asks whether to add the one that the fragment of a link names. */
  openLink(hash: string): void {
    this.#open(readBridgeLink(hash));
  }

  /** The image for 64-bit programs of the first known host; `undefined` if it has none, or does not answer. */
  async findWide(): Promise<RuntimeOffer['other']> {
    const [link] = this.#known;
    const images = await link?.images().catch(() => undefined);
    const wide = images?.find(({ architecture }) => architecture === 'amd64');
    return link && wide && { image: wide.name, bridge: link.bridge.url, host: link.name };
  }

  /** The suggestion for a failed command that would succeed on a known host. */
  async consider(
    trouble: CommandEnd,
    { pane, shellPid }: { pane: SandboxModel; shellPid: number | undefined },
  ): Promise<RuntimeOffer | undefined> {
    const { connection } = pane;
    const [link] = this.#known;
    if (connection === undefined || link === undefined || pane.host !== undefined || pane.state.readOnly)
      return undefined;
    const assessing = assessTrouble(connection, { trouble, host: link, shellPid });
    const advice = await assessing.catch(() => undefined);
    if (advice === undefined) return undefined;
    const { reasons, image } = advice;
    const other = image === undefined ? undefined : { image, bridge: link.bridge.url, host: link.name };
    return { command: trouble.command, reasons, other, onHost: true };
  }

  /** A host that only an address names is not offered for anything. */
  get #known(): readonly BridgeLink[] {
    return this.#links.links.filter(({ bridge }) => hasToken(bridge));
  }

  #open(entry?: BridgeEntry, bridge?: string): void {
    const pane = this.#workspace.active;
    const isHere = pane?.host === undefined && pane?.state.phase === 'ready';
    this.#dialog.movable = isHere ? pane.state.info : undefined;
    void this.#dialog.open(entry, bridge);
  }

  #create({ bridge = '', image, runtime }: Extract<Action, { type: 'new-sandbox' }>): void {
    const host = this.#links.find(bridge);
    if (host === undefined) this.#open();
    else void this.#workspace.replace(undefined, { host, image, runtime }).then(() => host.check());
  }

  /** If no host is named: the only known one. Where it has not the image, the user chooses what goes along. */
  #runOnHost(
    { bridge, image }: Extract<Action, { type: 'run-on-host' }>,
    { pane, shellPid }: { pane: SandboxModel | undefined; shellPid: number | undefined },
  ): void {
    const [only, ...others] = this.#known;
    const host = bridge === undefined ? (others.length === 0 ? only : undefined) : this.#links.find(bridge);
    const { info } = pane?.state ?? {};
    const mustChoose =
      host !== undefined && image === undefined && info !== undefined && lacksImage(host.state, info);
    if (host === undefined || mustChoose) this.#open();
    else if (pane !== undefined && pane.host === undefined) {
      this.#goThere(this.#desk.runOnHost(pane, { host, shellPid, image }));
    }
  }

  /** The focus follows the work, since the button that was used has changed. */
  #goThere(moved: Promise<boolean>): void {
    void moved.then((isThere) => {
      if (isThere) act(this.#dialog, { type: 'focus', region: 'terminal' });
    });
  }

  #openOnHost(id: string, bridge: string): void {
    const host = this.#links.find(bridge);
    if (host === undefined) return;
    const open = this.#workspace.panes.find((pane) => pane.host === host && pane.state.info?.id === id);
    if (open === undefined) void this.#workspace.openBeside(id, { host });
    else this.#workspace.activate(open);
  }

  #deleteOnHost(id: string, bridge: string): void {
    const link = this.#links.find(bridge);
    if (link === undefined) return;
    const remove = async (): Promise<void> => {
      const open = this.#workspace.panes.find(({ state, host }) => host === link && state.info?.id === id);
      if (open !== undefined) await this.#workspace.close(open);
      await (await link.connect()).delete({ id });
      await link.check();
    };
    this.#workspace.notices.add({
      text: `Deleting a sandbox on ${link.name}, with all its snapshots.`,
      tone: 'error',
      action: { label: 'Undo', run: () => undefined },
      onExpire: () =>
        void remove().catch((cause) => {
          const { message } = SandboxError.from(cause);
          this.#workspace.notices.add({ text: `Not deleted on ${link.name}: ${message}`, tone: 'error' });
          return link.check();
        }),
    });
  }
}

function describeHost({ name, bridge, state }: BridgeLink): KnownHost {
  const images = state.type === 'connected' ? state.images : [];
  return { name, bridge: { url: bridge.url, token: bridge.token }, images, problem: problemOf(state) };
}

function problemOf(state: LinkState): string | undefined {
  if (state.type === 'refused')
    return 'Its bridge does not take the token any more. Add it again under Hosts.';
  if (state.type === 'unreachable') return 'Its bridge does not answer. Look under Hosts how to start it.';
  return undefined;
}

function define(name: string, element: CustomElementConstructor): void {
  if (customElements.get(name) === undefined) customElements.define(name, element);
}

/** Without locks, if two tabs add a bridge at the same time, one entry may be lost. */
const whileNoOtherTabDoes: Exclusively = async (work) => {
  if ('locks' in navigator) await navigator.locks.request(bridgesKey, work);
  else work();
};

/** A browser that refuses storage throws on access. */
function pageShelves(): ConstructorParameters<typeof BridgeBook>[0] {
  const none = { getItem: () => null, setItem: () => undefined };
  try {
    return { session: sessionStorage, local: localStorage };
  } catch {
    return { session: none, local: none };
  }
}
