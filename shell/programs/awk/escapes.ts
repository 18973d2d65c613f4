import { decodeText, type ShellText } from '../../text.ts';

const simple: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  '"': '"',
  '/': '/',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Reads an escape of a string, whose backslash stands at `start`. What means nothing stays as it is. */
export function readEscape(
  source: ShellText,
  start: number,
): { readonly text: ShellText; readonly end: number } {
  const next = source[start + 1];
  if (next === undefined) return { text: '\\', end: start + 1 };
  if (next === '\n') return { text: '', end: start + 2 };
  if (next === '\r' && source[start + 2] === '\n') return { text: '', end: start + 3 };
  if (Object.hasOwn(simple, next)) return { text: simple[next] ?? '', end: start + 2 };
  const octal = /^[0-7]{1,3}/.exec(source.slice(start + 1, start + 4))?.[0];
  if (octal !== undefined)
    return { text: byteText(Number.parseInt(octal, 8)), end: start + 1 + octal.length };
  const hex = next === 'x' ? /^[0-9a-fA-F]{1,2}/.exec(source.slice(start + 2, start + 4))?.[0] : undefined;
  if (hex !== undefined) return { text: byteText(Number.parseInt(hex, 16)), end: start + 2 + hex.length };
  return { text: `\\${next}`, end: start + 2 };
}

/** Text with its escapes replaced, as `-v` and operands with `=` have them. */
export function expandAwkEscapes(text: ShellText): ShellText {
  let expanded = '';
  let from = 0;
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', from)) {
    const read = readEscape(text, at);
    expanded += text.slice(from, at) + read.text;
    from = read.end;
  }
  return expanded + text.slice(from);
}

function byteText(byte: number): ShellText {
  return decodeText(Uint8Array.of(byte & 0xff));
}
