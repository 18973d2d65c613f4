import type { ByteString } from '../../../tree/content/byte-string.ts';

/** Some bytes that one place may have, or any number of any. */
type Part = '*' | ((byte: string) => boolean);

/** The pattern of one name: `**` of any number of names, a text of that name alone. */
export type NamePattern = '**' | { readonly text: ByteString } | { readonly parts: readonly Part[] };

/** Reads one name of a rule, as `.gitignore` has it: `*`, `?`, `[a-z]`, `[!a-z]` and a backslash before what is meant itself. */
export function parseName(name: ByteString): NamePattern {
  if (name === '**') return name;
  if (!/[*?[\\]/.test(name)) return { text: name };
  const parts: Part[] = [];
  for (let at = 0; at < name.length; ) {
    const byte = name[at] ?? '';
    const set = byte === '[' ? parseSet(name, at) : undefined;
    if (set) {
      parts.push(set.has);
      at = set.end;
      continue;
    }
    const isEscape = byte === '\\' && at + 1 < name.length;
    parts.push(isEscape ? is(name[at + 1] ?? '') : byte === '*' ? '*' : byte === '?' ? () => true : is(byte));
    at += isEscape ? 2 : 1;
  }
  return { parts };
}

/** What fits to it goes back to the last star alone: no pattern takes long. */
export function matchesName(name: ByteString, pattern: NamePattern): boolean {
  if (pattern === '**') return true;
  if ('text' in pattern) return pattern.text === name;
  const { parts } = pattern;
  let [at, place, star, resumeAt] = [0, 0, -1, 0];
  while (at < name.length) {
    const part = parts[place];
    if (part === '*') {
      star = place++;
      resumeAt = at;
    } else if (part?.(name[at] ?? '')) {
      place++;
      at++;
    } else if (star >= 0) {
      place = star + 1;
      at = ++resumeAt;
    } else return false;
  }
  while (parts[place] === '*') place++;
  return place === parts.length;
}

function is(wanted: string): (byte: string) => boolean {
  return (byte) => byte === wanted;
}

/** A bracket that nothing closes is itself. */
function parseSet(name: ByteString, from: number): { readonly has: Part; readonly end: number } | undefined {
  const isNot = name[from + 1] === '!' || name[from + 1] === '^';
  const first = from + (isNot ? 2 : 1);
  const ranges: (readonly [string, string])[] = [];
  for (let at = first; at < name.length; ) {
    if (name[at] === ']' && at > first) {
      const isIn = (byte: string) => ranges.some(([low, high]) => low <= byte && byte <= high);
      return { has: (byte) => isIn(byte) !== isNot, end: at + 1 };
    }
    const low = readByte(name, at);
    const isRange = name[low.end] === '-' && name[low.end + 1] !== ']' && low.end + 1 < name.length;
    const high = isRange ? readByte(name, low.end + 1) : low;
    ranges.push([low.byte, high.byte]);
    at = high.end;
  }
  return undefined;
}

function readByte(name: ByteString, at: number): { readonly byte: string; readonly end: number } {
  const isEscape = name[at] === '\\' && at + 1 < name.length;
  return { byte: name[at + (isEscape ? 1 : 0)] ?? '', end: at + (isEscape ? 2 : 1) };
}
