/** A value of SQLite: integers are `bigint`s, so that a `number` is always REAL. */
export type SqlValue = bigint | number | string | Uint8Array | null;

const decoder = new TextDecoder();

/** As a column of text: `nullText` for NULL. */
export function textOfValue(value: SqlValue, nullText = ''): string {
  if (value === null) return nullText;
  if (typeof value === 'number') return textOfReal(value);
  return untilZero(value instanceof Uint8Array ? decoder.decode(value) : String(value));
}

/** As SQL. */
export function literalOfValue(value: SqlValue): string {
  if (value === null) return 'NULL';
  if (typeof value === 'number') return exactTextOfReal(value);
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return `X'${hexOf(value)}'`;
  return quoted(untilZero(value));
}

/** As SQL that has no line break in it. */
export function literalOnOneLine(value: SqlValue): string {
  const literal = literalOfValue(value);
  if (typeof value !== 'string' || !/[\n\r]/.test(value)) return literal;
  let text = literal;
  let calls = '';
  for (const [mark, code, character] of [
    ['\\n', 10, '\n'],
    ['\\r', 13, '\r'],
  ] as const) {
    if (!value.includes(character)) continue;
    const unused = unusedMark(value, mark);
    text = `replace(${text.replaceAll(character, unused)}`;
    calls += `,${quoted(unused)},char(${code}))`;
  }
  return text + calls;
}

/** As JSON (RFC 8259). */
export function jsonOfValue(value: SqlValue): string {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
    return exactTextOfReal(value);
  }
  const text = value instanceof Uint8Array ? latin1Of(value) : untilZero(value);
  return JSON.stringify(text).replace(/\u007f/g, '\\u007f');
}

export function quoted(text: string, quote: "'" | '"' = "'"): string {
  return quote + text.replaceAll(quote, quote + quote) + quote;
}

/** SQLite's `%!.15g`. */
function textOfReal(value: number, digits = 15): string {
  if (!Number.isFinite(value)) return value > 0 ? 'Inf' : '-Inf';
  if (value === 0) return '0.0';
  const [mantissa = '', power = '0'] = value.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  const sign = mantissa.startsWith('-') ? '-' : '';
  const figures = mantissa.replace(/[-.]/g, '').replace(/0+$/, '');
  if (exponent < -4 || exponent >= digits) {
    const size = String(Math.abs(exponent)).padStart(2, '0');
    return `${sign}${figures[0]}.${figures.slice(1) || '0'}e${exponent < 0 ? '-' : '+'}${size}`;
  }
  if (exponent < 0) return `${sign}0.${'0'.repeat(-exponent - 1)}${figures}`;
  const whole = figures.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  return `${sign}${whole}.${figures.slice(exponent + 1) || '0'}`;
}

/** With as many digits as make the same number again. */
function exactTextOfReal(value: number): string {
  if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  const short = textOfReal(value);
  return Number(short) === value ? short : textOfReal(value, 17);
}

/** Text ends at a zero byte, as C has it. */
function untilZero(text: string): string {
  const end = text.indexOf('\0');
  return end < 0 ? text : text.slice(0, end);
}

function unusedMark(text: string, mark: string): string {
  let unused = mark;
  for (let number = 0; text.includes(unused); number++) unused = `(${mark}${number})`;
  return unused;
}

function hexOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function latin1Of(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
}
