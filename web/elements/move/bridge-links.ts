import type { BridgeBook, KnownBridge } from './bridge-book.ts';
import { BridgeLink, type ConnectBridge } from './bridge-link.ts';

/** The bridges that this page knows, and how it stands with each. Fires `change`. */
export class BridgeLinks extends EventTarget {
  readonly #book: BridgeBook;
  readonly #connect: ConnectBridge;
  readonly #onChange = (): boolean => this.dispatchEvent(new Event('change'));
  #links: readonly BridgeLink[];

  constructor(book: BridgeBook, connect: ConnectBridge) {
    super();
    this.#book = book;
    this.#connect = connect;
    this.#links = book.known.map((bridge) => this.#link(bridge));
  }

  get links(): readonly BridgeLink[] {
    return this.#links;
  }

  find(url: string): BridgeLink | undefined {
    return this.#links.find(({ bridge }) => bridge.url === url);
  }

  /** Adds a bridge and connects to it; its state tells whether that succeeds. */
  async add(bridge: KnownBridge): Promise<void> {
    const link = this.#link(bridge);
    const replaced = this.find(bridge.url);
    this.#book.add(bridge);
    this.#set([...this.#links.filter((other) => other !== replaced), link]);
    await Promise.all([link.check(), replaced?.[Symbol.asyncDispose]()]);
  }

  /** Forgets a bridge and its token, and lets go of it: what is open there is closed. */
  async remove(link: BridgeLink): Promise<void> {
    this.#book.remove(link.bridge.url);
    this.#set(this.#links.filter((other) => other !== link));
    await link[Symbol.asyncDispose]();
  }

  /** Looks again how each stands. */
  checkAll(): void {
    for (const link of this.#links) void link.check();
  }

  #link(bridge: KnownBridge): BridgeLink {
    const link = new BridgeLink(bridge, this.#connect);
    link.addEventListener('change', this.#onChange);
    return link;
  }

  #set(links: readonly BridgeLink[]): void {
    this.#links = links;
    this.#onChange();
  }
}
