import { simpleEscapes } from '../simple-escapes.ts';
import { joinEscapedBytes, type ShellText } from '../text.ts';

const quotedEscapes: ReadonlyMap<string, string> = new Map([
  ...simpleEscapes,
  ['E', '\x1b'],
  ["'", "'"],
  ['"', '"'],
  ['?', '?'],
]);

const numericEscape =
  /[0-7]{1,3}|x\{([0-9A-Fa-f]*)\}?|x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})/y;

/** Text between `$'` and `'`, with its backslash escapes as what they stand for. It ends at a NUL. */
export function decodeAnsiC(source: string): ShellText {
  if (!source.includes('\\')) return source;
  let text = '';
  for (let at = 0; at < source.length; at++) {
    const character = source[at] ?? '';
    if (character !== '\\') {
      text += character;
      continue;
    }
    const { decoded, length } = decodeEscape(source, at + 1);
    if (decoded === '\0') break;
    text += decoded;
    at += length;
  }
  return joinEscapedBytes(text);
}

/** The escape whose backslash stands before `at`. */
function decodeEscape(source: string, at: number): { decoded: string; length: number } {
  const letter = source[at] ?? '';
  const simple = quotedEscapes.get(letter);
  if (simple !== undefined) return { decoded: simple, length: 1 };
  if (letter === 'c' && at + 1 < source.length) {
    const isEscaped = source.startsWith('\\\\', at + 1);
    return { decoded: controlCharacter(source[at + 1] ?? ''), length: isEscaped ? 3 : 2 };
  }
  numericEscape.lastIndex = at;
  const match = numericEscape.exec(source);
  if (!match) return { decoded: `\\${letter}`, length: letter.length };
  const [whole, long, hex, short, wide] = match;
  const length = whole.length;
  if (hex ?? long) return { decoded: byteText(Number.parseInt(hex ?? long ?? '', 16)), length };
  if (short ?? wide) return { decoded: characterText(Number.parseInt(short ?? wide ?? '', 16)), length };
  if (long === '') return { decoded: '\0', length };
  return { decoded: byteText(Number.parseInt(whole, 8)), length };
}

function controlCharacter(character: string): string {
  const code = character.toUpperCase().charCodeAt(0);
  return character === '?' ? '\x7f' : String.fromCharCode(code & 0x1f);
}

function byteText(byte: number): string {
  const low = byte & 0xff;
  return String.fromCharCode(low < 0x80 ? low : 0xdc00 + low);
}

/** What is no character becomes the bytes that it would have in UTF-8. */
function characterText(codePoint: number): string {
  const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
  if (codePoint <= 0x10ffff && !isSurrogate) return String.fromCodePoint(codePoint);
  const length = codePoint < 0x10000 ? 3 : codePoint < 0x200000 ? 4 : codePoint < 0x4000000 ? 5 : 6;
  const bytes = Array.from(
    { length },
    (_, index) => 0x80 | ((codePoint / 64 ** (length - 1 - index)) & 0x3f),
  );
  bytes[0] = ((0xff00 >> length) & 0xff) | Math.floor(codePoint / 64 ** (length - 1));
  return bytes.map(byteText).join('');
}
