import type { ShellText } from '../../text.ts';

const pair = /[\ud800-\udbff]/;
const longText = 256;
/** The long text that was looked at last: loops over its characters ask again and again. */
let last = { text: '', hasPairs: false };

function hasPairs(text: ShellText): boolean {
  if (text.length < longText) return pair.test(text);
  if (last.text !== text) last = { text, hasPairs: pair.test(text) };
  return last.hasPairs;
}

/** Characters, of which some are two units. */
export function characterCount(text: ShellText): number {
  if (!hasPairs(text)) return text.length;
  let count = text.length;
  for (let at = 0; at < text.length; at++) if ((text.charCodeAt(at) & 0xfc00) === 0xd800) count -= 1;
  return count;
}

/** From one character to before another, counted from zero. */
export function sliceCharacters(text: ShellText, start: number, end: number): ShellText {
  if (!hasPairs(text)) return text.slice(start, end);
  const from = unitAt(text, start, 0);
  return text.slice(from, unitAt(text, end - start, from));
}

/** How many characters stand before a unit. */
export function charactersBefore(text: ShellText, unit: number): number {
  return hasPairs(text) ? characterCount(text.slice(0, unit)) : unit;
}

/** The unit that stands so many characters after another. */
function unitAt(text: ShellText, characters: number, from: number): number {
  let at = from;
  for (let count = 0; count < characters && at < text.length; count++) {
    at += (text.charCodeAt(at) & 0xfc00) === 0xd800 ? 2 : 1;
  }
  return at;
}
