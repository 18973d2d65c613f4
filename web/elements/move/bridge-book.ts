import { type BridgeEntry, isBridgeToken, parseBridgeUrl } from './bridge-address.ts';

/** A bridge that this page knows. */
export interface KnownBridge extends BridgeEntry {
  /** Whether it is remembered when the browser is opened again. */
  readonly remembered: boolean;
}

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

/** Runs `work` under a lock among all tabs, which share one stored value. */
export type Exclusively = (work: () => void) => Promise<void>;

/** The storage key of bridges. */
export const bridgesKey = 'coppice.bridges';
/** The bridges in one storage. */
const mostBridges = 8;

/**
 * The bridges that were added: until the tab is closed, or on request for as long as this site has storage here, in
 * all of its tabs. For the same address, this tab's entry takes precedence over the stored one. Whoever can run
 * scripts in this site can read the tokens of either. A browser that refuses storage knows them as long as the
 * page.
 */
export class BridgeBook {
  readonly #shelves: Readonly<Record<'session' | 'local', Shelf>>;
  readonly #exclusively: Exclusively;
  #known: readonly KnownBridge[];
  /** Whether a write failed, so that the storage is incomplete. */
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

  /** Adds a bridge, or replaces the token of a known one. Takes effect at once; resolves when it is stored. */
  async add(bridge: KnownBridge): Promise<void> {
    await this.#change((known) => [...known.filter(({ url }) => url !== bridge.url), bridge]);
  }

  /** Forgets a bridge at once; resolves when that is stored. */
  async remove(url: string): Promise<void> {
    await this.#change((known) => known.filter((bridge) => bridge.url !== url));
  }

  /** Reads the storage again, which another tab may have changed. */
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

/** Parses the valid entries of a storage. */
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
