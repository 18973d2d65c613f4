import { parseBridgeUrl } from './bridge-address.ts';
import type { BridgeBook, KnownBridge } from './bridge-book.ts';
import { BridgeLink, type ConnectBridge, hasToken } from './bridge-link.ts';

export interface BridgeLinksOptions {
  readonly connect: ConnectBridge;
  /** A bridge has accepted a new token: its closed panes can be reopened. */
  readonly onRenewed: (link: BridgeLink) => void;
}

/** The bridges that this page knows, and the state of each. Fires `change`. */
export class BridgeLinks extends EventTarget {
  readonly #book: BridgeBook;
  readonly #options: BridgeLinksOptions;
  readonly #onChange = (): boolean => this.dispatchEvent(new Event('change'));
  #links: readonly BridgeLink[];

  constructor(book: BridgeBook, options: BridgeLinksOptions) {
    super();
    this.#book = book;
    this.#options = options;
    this.#links = book.known.map((bridge) => this.#link(bridge));
  }

  get links(): readonly BridgeLink[] {
    return this.#links;
  }

  find(url: string): BridgeLink | undefined {
    return this.#links.find(({ bridge }) => bridge.url === url);
  }

  /**
   * The bridge with that address, which need not be known: then it refuses everything until it is added. `undefined` if no
   * page can reach it.
   */
  reach(url: string): BridgeLink | undefined {
    const parsed = parseBridgeUrl(url);
    if ('why' in parsed) return undefined;
    const known = this.find(parsed.url);
    if (known !== undefined) return known;
    const link = this.#link({ url: parsed.url, token: '', remembered: false });
    this.#set([...this.#links, link]);
    return link;
  }

  /** Adds a bridge, or replaces the token of a known one, and connects to it; see its state for the result. */
  async add(bridge: KnownBridge): Promise<void> {
    const written = this.#book.add(bridge);
    const link = this.find(bridge.url);
    if (link === undefined) this.#set([...this.#links, this.#link(bridge)]);
    await Promise.all([written, link ? this.#renew(link, bridge) : this.find(bridge.url)?.check()]);
  }

  /** Forgets a bridge and its token, and disconnects: its open sandboxes are closed. */
  async remove(link: BridgeLink): Promise<void> {
    const written = this.#book.remove(link.bridge.url);
    this.#set(this.#links.filter((other) => other !== link));
    await Promise.all([written, link[Symbol.asyncDispose]()]);
  }

  /** Checks the state of each again. */
  checkAll(): void {
    for (const link of this.#links) void link.check();
  }

  /**
   * Applies another tab's changes of the storage. A bridge that it has forgotten stays until this tab closes, if
   * this tab uses it.
   */
  async reread(): Promise<void> {
    this.#book.reread();
    const { known } = this.#book;
    const forgotten = this.#links.filter(
      ({ bridge }) => hasToken(bridge) && !known.some(({ url }) => url === bridge.url),
    );
    const unused = forgotten.filter(({ state }) => state.type !== 'connected');
    const added = known.filter(({ url }) => this.find(url) === undefined);
    const others = this.#links.filter((link) => !unused.includes(link));
    this.#set([...others, ...added.map((bridge) => this.#link(bridge))]);
    const kept = forgotten.filter((link) => !unused.includes(link));
    await Promise.all([
      ...unused.map((link) => link[Symbol.asyncDispose]()),
      ...kept.map((link) => this.#keepHere(link)),
      ...known.map((bridge) => this.#takeOver(bridge)),
    ]);
  }

  async #keepHere(link: BridgeLink): Promise<void> {
    const bridge = { ...link.bridge, remembered: false };
    link.replace(bridge);
    await this.#book.add(bridge);
  }

  async #takeOver(bridge: KnownBridge): Promise<void> {
    const link = this.find(bridge.url);
    if (link === undefined) return;
    const { token, remembered } = link.bridge;
    if (token === bridge.token && remembered === bridge.remembered) return;
    if (link.state.type === 'unknown') link.replace(bridge);
    else await this.#renew(link, bridge);
  }

  async #renew(link: BridgeLink, bridge: KnownBridge): Promise<void> {
    link.replace(bridge);
    await link.check();
    if (link.state.type === 'connected') this.#options.onRenewed(link);
  }

  #link(bridge: KnownBridge): BridgeLink {
    const link = new BridgeLink(bridge, this.#options.connect);
    link.addEventListener('change', this.#onChange);
    return link;
  }

  #set(links: readonly BridgeLink[]): void {
    this.#links = links;
    this.#onChange();
  }
}
