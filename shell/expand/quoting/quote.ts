import { escapedByte, type ShellText } from '../../text.ts';

const controlEscapes: ReadonlyMap<string, string> = new Map([
  ['\x07', '\\a'],
  ['\b', '\\b'],
  ['\x1b', '\\E'],
  ['\f', '\\f'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
  ['\v', '\\v'],
  ['\\', '\\\\'],
  ["'", "\\'"],
]);

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const unprintable = /[\0-\x1f\x7f-\x9f\udc80-\udcff]/;

/** `text` quoted such that the shell reads it as one word again (`${x@Q}`, `printf %q`, `declare -p`, `set`). */
export function quote(text: ShellText, style: 'at-q' | 'printf-q' | 'declare'): ShellText {
  if (needsAnsiC(text)) return quoteAnsiC(text);
  if (style === 'at-q') return quoteSingle(text);
  if (style === 'printf-q') return quoteBackslashes(text);
  return `"${text.replace(/[$`"\\]/g, '\\$&')}"`;
}

/** Whether there are characters that only `$'…'` can show. */
export function needsAnsiC(text: ShellText): boolean {
  return unprintable.test(text) && !isWithoutEscapes(text);
}

function isWithoutEscapes(text: ShellText): boolean {
  return !unprintable.test(text.toWellFormed()) && !/[\udc80-\udcff]/.test(loneSurrogates(text));
}

/** Characters beyond the first plane have halves in the range of escaped bytes. */
function loneSurrogates(text: ShellText): ShellText {
  return text.replace(/[\ud800-\udbff][\udc00-\udfff]/g, '');
}

export function quoteAnsiC(text: ShellText): ShellText {
  let quoted = '';
  for (const character of text) {
    const escaped = controlEscapes.get(character);
    if (escaped !== undefined) {
      quoted += escaped;
      continue;
    }
    const code = character.codePointAt(0) ?? 0;
    const byte = escapedByte(code) ?? (code < 0x20 || code === 0x7f ? code : undefined);
    if (byte !== undefined) quoted += octal(byte);
    else if (code >= 0x80 && code < 0xa0) quoted += octal(0xc2) + octal(code);
    else quoted += character;
  }
  return `$'${quoted}'`;
}

function octal(byte: number): string {
  return `\\${byte.toString(8).padStart(3, '0')}`;
}

function quoteSingle(text: ShellText): ShellText {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteBackslashes(text: ShellText): ShellText {
  if (text === '') return "''";
  return text.replace(/[\s!"$&'()*,;<>?[\\\]^`{|}]/g, '\\$&').replace(/^[#~]|(?<=[=:])~/g, '\\$&');
}
