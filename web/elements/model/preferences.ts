/** How this person likes the page. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly screenReader: boolean;
  /** Whether `?` alone opens the list of shortcuts (WCAG 2.1.4 wants a way to turn it off). */
  readonly singleKeys: boolean;
  readonly fontSizePx: number;
  /** Whether the page remarks that a command would do better on a host. */
  readonly suggestHosts: boolean;
}

const defaults: Preferences = {
  theme: 'system',
  screenReader: false,
  singleKeys: true,
  fontSizePx: 13,
  suggestHosts: true,
};
const storageKey = 'coppice.preferences';

/** Preferences kept in this origin's local storage; without storage they last as long as the page. */
export class PreferenceStore extends EventTarget {
  #value: Preferences = readPreferences();

  get value(): Preferences {
    return this.#value;
  }

  set(change: Partial<Preferences>): void {
    this.#value = { ...this.#value, ...change };
    try {
      localStorage.setItem(storageKey, JSON.stringify(this.#value));
    } catch {
      // A browser that refuses storage still honours the choice until the page goes.
    }
    this.dispatchEvent(new Event('change'));
  }
}

function readPreferences(): Preferences {
  try {
    return parsePreferences(JSON.parse(localStorage.getItem(storageKey) ?? '{}'));
  } catch {
    return defaults;
  }
}

/** Takes what is valid of `value` and the default for the rest. */
export function parsePreferences(value: unknown): Preferences {
  if (typeof value !== 'object' || value === null) return defaults;
  const { theme, screenReader, singleKeys, fontSizePx, suggestHosts } = value as Partial<
    Record<keyof Preferences, unknown>
  >;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    screenReader: screenReader === true,
    singleKeys: singleKeys !== false,
    suggestHosts: suggestHosts !== false,
    fontSizePx:
      typeof fontSizePx === 'number' && fontSizePx >= 9 && fontSizePx <= 28
        ? fontSizePx
        : defaults.fontSizePx,
  };
}
