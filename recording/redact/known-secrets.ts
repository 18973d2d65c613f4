import { recordingLimits } from '../limits.ts';
import { isSecretName } from './secret-patterns.ts';

const leastBeginning = 4;

/** Values that are secrets because somebody said so, in the ways that they are written. */
export class KnownSecrets {
  /** Each way of writing one, and the value itself. */
  readonly #values = new Map<string, string>();
  #pattern: RegExp | undefined;

  /** Adds a value; one that is too short or too long to be replaced wherever it is has no effect. Answers whether it is replaced. */
  add(value: string): boolean {
    const trimmed = value.trim();
    const { secrets, secretCharacters, leastSecretCharacters } = recordingLimits;
    if (trimmed.length < leastSecretCharacters || trimmed.length > secretCharacters) return false;
    if (this.#values.size >= secrets * 4) return false;
    for (const way of waysOf(trimmed)) if (!this.#values.has(way)) this.#values.set(way, trimmed);
    this.#pattern = undefined;
    return true;
  }

  /** Adds what of an environment looks like a secret by its name, and passwords in URLs. */
  addEnvironment(env: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(env)) {
      const password = /^[a-z][a-z0-9+.-]{0,20}:\/\/[^\s/:@]{0,256}:([^\s/@]{1,256})@/i.exec(value)?.[1];
      if (password !== undefined) this.add(password);
      // Sockets and files of secrets have paths.
      if (isSecretName(name) && !value.startsWith('/')) this.add(value);
    }
  }

  /** Calls `replace` with each value that is in `text`. */
  replace(text: string, replace: (value: string) => string): string {
    if (this.#values.size === 0) return text;
    this.#pattern ??= patternOf([...this.#values.keys()]);
    return text.replaceAll(this.#pattern, (way) => replace(this.#values.get(way) ?? way));
  }

  /** Whether `text` ends with a beginning of a value that is unlike most other texts. */
  hasBegun(text: string): boolean {
    return text.length - this.heldFrom(text) >= leastBeginning;
  }

  /** Where the end of `text` begins that may be the beginning of a value; its length where there is none. */
  heldFrom(text: string): number {
    let from = text.length;
    for (const way of this.#values.keys()) {
      const begin = Math.max(0, text.length - way.length + 1);
      for (
        let at = text.indexOf(way.charAt(0), begin);
        at >= 0 && at < from;
        at = text.indexOf(way.charAt(0), at + 1)
      )
        if (way.startsWith(text.slice(at))) from = at;
    }
    return from;
  }
}

/** As it is, as a terminal shows its lines, in JSON, in a URL, and in base64. */
function waysOf(value: string): ReadonlySet<string> {
  const wellFormed = value.toWellFormed();
  const bytes = new TextEncoder().encode(wellFormed);
  return new Set([
    value,
    value.replaceAll(/\r?\n/g, '\r\n'),
    JSON.stringify(wellFormed).slice(1, -1),
    encodeURIComponent(wellFormed),
    btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')),
  ]);
}

/** The longest first: one may begin as another does. */
function patternOf(values: readonly string[]): RegExp {
  const sorted = values.toSorted((a, b) => b.length - a.length);
  return new RegExp(sorted.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'g');
}
