import { type BridgeEntry, isBridgeToken, parseBridgeUrl } from './bridge-address.ts';

/** A bridge that this page knows. */
export interface KnownBridge extends BridgeEntry {
  /** Whether it is still known when the browser is opened again. */
  readonly remembered: boolean;
}

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

/** Runs `work` while no other tab runs any: what is remembered is one value for all of them. */
export type Exclusively = (work: () => void) => Promise<void>;

/** Under which name bridges are stored. */
export const bridgesKey = 'coppice.bridges';
/** Bridges of one shelf. */
const mostBridges = 8;

/**
 * The bridges that were added: until the tab is closed, or on request for as long as this site has
 * storage here, in all of its tabs. What this tab knows of an address comes before what they remember. Whoever can run scripts in this site can read the tokens of either. A browser that
 * refuses storage knows them as long as the page.
 */
export class BridgeBook {
  readonly #shelves: Readonly<Record<'session' | 'local', Shelf>>;
  readonly #exclusively: Exclusively;
  #known: readonly KnownBridge[];
  /** Something was not written: what is read then is not all there is. */
  #isRefused = false;

  constructor(shelves: Readonly<Record<'session' | 'local', Shelf>>, exclusively: Exclusively) {
    this.#shelves = shelves;
    this.#exclusively = exclusively;
    const passing = read(shelves.session).map((entry) => ({ ...entry, remembered: false }));
    this.#known = merge(passing, read(shelves.local));
  }

  get known(): readonly KnownBridge[] {
    return this.#known;
  }

  /** Adds a bridge, or gives one that is known another token. It is known at once; resolves when it is written. */
  async add(bridge: KnownBridge): Promise<void> {
    await this.#change((known) => [...known.filter(({ url }) => url !== bridge.url), bridge]);
  }

  /** Forgets a bridge, at once; resolves when that is written. */
  async remove(url: string): Promise<void> {
    await this.#change((known) => known.filter((bridge) => bridge.url !== url));
  }

  /** Looks again at what is remembered, which another tab may have changed. */
  reread(): void {
    if (this.#isRefused) return;
    const passing = this.#known.filter(({ remembered }) => !remembered);
    this.#known = merge(passing, read(this.#shelves.local));
  }

  async #change(change: (known: readonly KnownBridge[]) => KnownBridge[]): Promise<void> {
    this.#known = change(this.#known);
    await this.#exclusively(() => {
      this.reread();
      this.#known = change(this.#known);
      this.#write(
        'local',
        this.#known.filter(({ remembered }) => remembered),
      );
      this.#write(
        'session',
        this.#known.filter(({ remembered }) => !remembered),
      );
    });
  }

  #write(shelf: 'session' | 'local', bridges: readonly KnownBridge[]): void {
    const entries = bridges.slice(-mostBridges).map(({ url, token }) => ({ url, token }));
    try {
      this.#shelves[shelf].setItem(bridgesKey, JSON.stringify(entries));
    } catch {
      // Known as long as the page.
      this.#isRefused = true;
    }
  }
}

function merge(passing: readonly KnownBridge[], remembered: readonly BridgeEntry[]): KnownBridge[] {
  const others = remembered.filter(({ url }) => !passing.some((each) => each.url === url));
  return [...passing, ...others.map((entry) => ({ ...entry, remembered: true }))];
}

/** Takes what is valid of what a shelf holds. */
function read(shelf: Shelf): BridgeEntry[] {
  try {
    const value: unknown = JSON.parse(shelf.getItem(bridgesKey) ?? '[]');
    return Array.isArray(value) ? value.slice(0, mostBridges).flatMap(parseEntry) : [];
  } catch {
    return [];
  }
}

function parseEntry(value: unknown): BridgeEntry[] {
  const { url, token } = (value ?? {}) as Partial<Record<keyof BridgeEntry, unknown>>;
  if (typeof url !== 'string' || typeof token !== 'string' || !isBridgeToken(token)) return [];
  const parsed = parseBridgeUrl(url);
  return 'url' in parsed ? [{ url: parsed.url, token }] : [];
}
