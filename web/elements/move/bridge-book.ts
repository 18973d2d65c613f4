import { type BridgeEntry, isBridgeToken, parseBridgeUrl } from './bridge-address.ts';

/** A bridge that this page knows. */
export interface KnownBridge extends BridgeEntry {
  /** Whether it is still known when the browser is opened again. */
  readonly remembered: boolean;
}

type Shelf = Pick<Storage, 'getItem' | 'setItem'>;

const storageKey = 'coppice.bridges';
/** Bridges of one shelf. */
const mostBridges = 8;

/**
 * The bridges that were added: until the tab is closed, or on request for as long as this site has
 * storage here. Whoever can run scripts in this site can read the tokens of either. A browser that
 * refuses storage knows them as long as the page.
 */
export class BridgeBook {
  readonly #shelves: Readonly<Record<'session' | 'local', Shelf>>;
  #known: readonly KnownBridge[];

  constructor(shelves: Readonly<Record<'session' | 'local', Shelf>>) {
    this.#shelves = shelves;
    const remembered = read(shelves.local).map((entry) => ({ ...entry, remembered: true }));
    const passing = read(shelves.session).map((entry) => ({ ...entry, remembered: false }));
    this.#known = [
      ...passing.filter(({ url }) => !remembered.some((each) => each.url === url)),
      ...remembered,
    ];
  }

  get known(): readonly KnownBridge[] {
    return this.#known;
  }

  /** Adds a bridge, or gives one that is known another token. */
  add(bridge: KnownBridge): void {
    this.#set([...this.#known.filter(({ url }) => url !== bridge.url), bridge]);
  }

  remove(url: string): void {
    this.#set(this.#known.filter((bridge) => bridge.url !== url));
  }

  #set(known: readonly KnownBridge[]): void {
    this.#known = known;
    this.#write(
      'local',
      known.filter(({ remembered }) => remembered),
    );
    this.#write(
      'session',
      known.filter(({ remembered }) => !remembered),
    );
  }

  #write(shelf: 'session' | 'local', bridges: readonly KnownBridge[]): void {
    const entries = bridges.slice(-mostBridges).map(({ url, token }) => ({ url, token }));
    try {
      this.#shelves[shelf].setItem(storageKey, JSON.stringify(entries));
    } catch {
      // Known as long as the page.
    }
  }
}

/** Takes what is valid of what a shelf holds. */
function read(shelf: Shelf): BridgeEntry[] {
  try {
    const value: unknown = JSON.parse(shelf.getItem(storageKey) ?? '[]');
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
