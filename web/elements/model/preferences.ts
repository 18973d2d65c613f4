/** The user's preferences. */
export interface Preferences {
  readonly theme: 'system' | 'light' | 'dark';
  readonly screenReader: boolean;
  /** Whether `?` alone opens the list of shortcuts (WCAG 2.1.4 wants a way to turn it off). */
  readonly singleKeys: boolean;
  readonly fontSizePx: number;
  /** Whether the page suggests to run commands on a host. */
  readonly suggestHosts: boolean;
  /** Whether a first visit may begin in a shell while its machine is downloaded. */
  readonly shellFirst: boolean;
}

const defaults: Preferences = {
  theme: 'system',
  screenReader: false,
  singleKeys: true,
  fontSizePx: 13,
  suggestHosts: true,
  shellFirst: true,
};
const storageKey = 'coppice.preferences';

/** Preferences in this origin's local storage; without storage they last until the page closes. */
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
      // If the browser refuses storage, the choice still holds until the page closes.
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

/** Takes the valid members of `value`, and defaults for the rest. */
export function parsePreferences(value: unknown): Preferences {
  if (typeof value !== 'object' || value === null) return defaults;
  const { theme, screenReader, singleKeys, fontSizePx, suggestHosts, shellFirst } = value as Partial<
    Record<keyof Preferences, unknown>
  >;
  return {
    theme: theme === 'light' || theme === 'dark' ? theme : 'system',
    screenReader: screenReader === true,
    singleKeys: singleKeys !== false,
    suggestHosts: suggestHosts !== false,
    shellFirst: shellFirst !== false,
    fontSizePx:
      typeof fontSizePx === 'number' && fontSizePx >= 9 && fontSizePx <= 28
        ? fontSizePx
        : defaults.fontSizePx,
  };
}
