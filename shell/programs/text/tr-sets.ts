import { encodeText, type ShellText } from '../../text.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';

/** A set of `tr`: bytes in order, and one that is repeated to fill it up. */
export interface TrSet {
  readonly bytes: readonly number[];
  /** Where `[x*]` stands: the byte is repeated until the set is as long as the first. */
  readonly fill: { readonly at: number; readonly byte: number } | undefined;
  /** Has a class other than `[:upper:]` and `[:lower:]`. */
  readonly hasOtherClass: boolean;
  readonly cases: readonly { readonly at: number; readonly isUpper: boolean }[];
}

const inRange = (low: number, high: number) => (byte: number) => byte >= low && byte <= high;
const upper = inRange(0x41, 0x5a);
const lower = inRange(0x61, 0x7a);
const digit = inRange(0x30, 0x39);
const graph = inRange(0x21, 0x7e);
const alpha = (byte: number) => upper(byte) || lower(byte);
const alnum = (byte: number) => alpha(byte) || digit(byte);

/** Characters of one set as it is written, and the bytes that it stands for. */
const mostCharacters = 131_072;
const mostBytes = 1_048_576;

const classes: Readonly<Record<string, (byte: number) => boolean>> = {
  alnum,
  alpha,
  blank: (byte) => byte === 0x20 || byte === 0x09,
  cntrl: (byte) => byte < 0x20 || byte === 0x7f,
  digit,
  graph,
  lower,
  print: inRange(0x20, 0x7e),
  punct: (byte) => graph(byte) && !alnum(byte),
  space: (byte) => byte === 0x20 || inRange(0x09, 0x0d)(byte),
  upper,
  xdigit: (byte) => digit(byte) || inRange(0x41, 0x46)(byte) || inRange(0x61, 0x66)(byte),
};

const escapes: Readonly<Record<string, number>> = {
  a: 7,
  b: 8,
  f: 12,
  n: 10,
  r: 13,
  t: 9,
  v: 11,
  '\\': 92,
};

interface Unit {
  readonly byte: number;
  readonly isEscaped: boolean;
}

/** Reads a set as tr(1) has it. @throws ProgramError */
export function parseTrSet(text: ShellText): TrSet {
  if (text.length > mostCharacters) throw new ProgramError('a set is too long');
  const units = unitsOf(text);
  const bytes: number[] = [];
  const cases: { at: number; isUpper: boolean }[] = [];
  let fill: TrSet['fill'];
  let hasOtherClass = false;
  for (let at = 0; at < units.length; ) {
    if (bytes.length > mostBytes) throw new ProgramError('a set is too long');
    const special = units[at]?.byte === 0x5b && !units[at]?.isEscaped ? readSpecial(units, at) : undefined;
    if (special?.type === 'class') {
      const { name } = special;
      if (name === 'upper' || name === 'lower') cases.push({ at: bytes.length, isUpper: name === 'upper' });
      else hasOtherClass = true;
      for (let byte = 0; byte < 256; byte++) if (classes[name]?.(byte)) bytes.push(byte);
    } else if (special?.type === 'equivalent') bytes.push(special.byte);
    else if (special?.type === 'repeat') {
      if (special.count === 0) fill = { at: bytes.length, byte: special.byte };
      else for (let count = 0; count < special.count; count++) bytes.push(special.byte);
    }
    if (special) {
      at = special.end;
      continue;
    }
    const low = units[at]?.byte ?? 0;
    const dash = units[at + 1];
    const high = units[at + 2]?.byte;
    if (dash?.byte === 0x2d && !dash.isEscaped && high !== undefined) {
      if (high < low) {
        const range = `${String.fromCharCode(low)}-${String.fromCharCode(high)}`;
        throw new ProgramError(`range-endpoints of '${range}' are in reverse collating sequence order`);
      }
      for (let byte = low; byte <= high; byte++) bytes.push(byte);
      at += 3;
    } else {
      bytes.push(low);
      at += 1;
    }
  }
  return { bytes, fill, hasOtherClass, cases };
}

function unitsOf(text: ShellText): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < text.length; ) {
    const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
    const [octal] = /^\\[0-7]{1,3}/.exec(text.slice(at, at + 4)) ?? [];
    if (octal !== undefined) {
      const value = Number.parseInt(octal.slice(1), 8);
      // What is past a byte ends one digit earlier.
      const digits = value > 255 ? octal.slice(0, 3) : octal;
      units.push({ byte: Number.parseInt(digits.slice(1), 8), isEscaped: true });
      at += digits.length;
    } else if (character === '\\' && at + 1 < text.length) {
      const next = String.fromCodePoint(text.codePointAt(at + 1) ?? 0);
      const known = Object.hasOwn(escapes, next) ? escapes[next] : undefined;
      if (known !== undefined) units.push({ byte: known, isEscaped: true });
      else for (const byte of encodeText(next)) units.push({ byte, isEscaped: true });
      at += 1 + next.length;
    } else {
      for (const byte of encodeText(character)) units.push({ byte, isEscaped: false });
      at += character.length;
    }
  }
  return units;
}

/** Where the name of a class has no end so soon, it is none. */
const longestName = 256;

type Special =
  | { readonly type: 'class'; readonly name: string; readonly end: number }
  | { readonly type: 'equivalent'; readonly byte: number; readonly end: number }
  | { readonly type: 'repeat'; readonly byte: number; readonly count: number; readonly end: number };

/** `[:class:]`, `[=x=]`, `[x*n]` */
function readSpecial(units: readonly Unit[], start: number): Special | undefined {
  const text = (from: number, to: number) =>
    units
      .slice(from, to)
      .map(({ byte }) => String.fromCharCode(byte))
      .join('');
  const mark = text(start + 1, start + 2);
  if (mark === ':' || mark === '=') {
    for (let at = start + 2; at + 1 < Math.min(units.length, start + longestName); at++) {
      if (text(at, at + 2) !== `${mark}]`) continue;
      const name = text(start + 2, at);
      if (mark === ':') {
        if (!Object.hasOwn(classes, name)) {
          if (name === '') throw new ProgramError("missing character class name '[::]'");
          throw new ProgramError(`invalid character class ${quoteName(name)}`);
        }
        return { type: 'class', name, end: at + 2 };
      }
      if (at === start + 3) return { type: 'equivalent', byte: units[start + 2]?.byte ?? 0, end: at + 2 };
      if (name !== '')
        throw new ProgramError(`${name}: equivalence class operand must be a single character`);
    }
  }
  const [, digits] = /^\*(\d*)\]/.exec(text(start + 2, start + 24)) ?? [];
  if (digits === undefined) return undefined;
  const count = digits === '' ? 0 : Number.parseInt(digits, digits.startsWith('0') ? 8 : 10);
  return {
    type: 'repeat',
    byte: units[start + 1]?.byte ?? 0,
    count: Math.min(count, 65_536),
    end: start + 4 + digits.length,
  };
}
