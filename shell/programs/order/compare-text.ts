import type { ShellText } from '../../text.ts';

/** By bytes of UTF-8, as in the C locale. */
export function compareText(a: ShellText, b: ShellText): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const [one, other] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (one === other) continue;
    // Past U+FFFF there are surrogates, which sort below U+E000 to U+FFFF as units and above them as bytes.
    return rank(one) - rank(other);
  }
  return a.length - b.length;
}

function rank(unit: number): number {
  return unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit;
}
