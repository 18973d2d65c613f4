import { simpleEscapes } from '../simple-escapes.ts';
import { decodeText, encodeText, type ShellText } from '../text.ts';

const simple: ReadonlyMap<string, string> = new Map([...simpleEscapes, ['E', '\x1b']]);

/**
 * Backslash escapes of `echo -e`, of `printf`'s format and of its `%b`, which differ in octal numbers, quotes and `\c`.
 * `stops` where `\c` was read: nothing is printed after it.
 */
export function decodeEscapes(
  text: ShellText,
  style: 'echo' | 'format' | 'b',
): { readonly text: ShellText; readonly stops: boolean } {
  let decoded = '';
  /** Bytes that were written as numbers: together they may be characters. */
  let bytes: number[] = [];
  const flush = () => {
    if (bytes.length > 0) decoded += decodeText(Uint8Array.from(bytes));
    bytes = [];
  };
  let at = 0;
  while (at < text.length) {
    if (text[at] !== '\\' || at + 1 >= text.length) {
      flush();
      decoded += text[at];
      at += 1;
      continue;
    }
    const next = text[at + 1] ?? '';
    const number = numberAt(text, at + 1, style);
    if (number) {
      at += 1 + number.length;
      if (number.isByte) bytes.push(number.value & 0xff);
      else {
        flush();
        decoded += codePoint(number.value);
      }
      continue;
    }
    flush();
    if (next === 'c' && style !== 'format') return { text: decoded, stops: true };
    const known =
      simple.get(next) ??
      (style === 'format' && (next === '"' || next === "'" || next === '?') ? next : undefined);
    decoded += known ?? `\\${next}`;
    at += 2;
  }
  flush();
  return { text: joinBytes(decoded), stops: false };
}

/** Bytes that stand beside each other, of numbers and of what was there, become characters where they are UTF-8. */
function joinBytes(text: ShellText): ShellText {
  return /[\udc80-\udcff]/.test(text) ? decodeText(encodeText(text)) : text;
}

/** A number after a backslash: octal, `x` and `u` hexadecimal. `length` from after the backslash on. */
function numberAt(
  text: ShellText,
  at: number,
  style: 'echo' | 'format' | 'b',
): { value: number; length: number; isByte: boolean } | undefined {
  const rest = text.slice(at, at + 9);
  const octal = (
    style === 'echo' ? /^0[0-7]{0,3}/ : style === 'b' ? /^(?:0[0-7]{0,3}|[1-7][0-7]{0,2})/ : /^[0-7]{1,3}/
  ).exec(rest);
  if (octal) return { value: Number.parseInt(octal[0], 8), length: octal[0].length, isByte: true };
  const [hexadecimal, digits = ''] = /^x([0-9a-fA-F]{1,2})/.exec(rest) ?? [];
  if (hexadecimal) return { value: Number.parseInt(digits, 16), length: hexadecimal.length, isByte: true };
  const [unicode, short, long] = /^(?:u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8}))/.exec(rest) ?? [];
  if (!unicode) return undefined;
  return { value: Number.parseInt(short ?? long ?? '', 16), length: unicode.length, isByte: false };
}

function codePoint(value: number): string {
  return value <= 0x10ffff && !(value >= 0xd800 && value <= 0xdfff) ? String.fromCodePoint(value) : '\ufffd';
}
