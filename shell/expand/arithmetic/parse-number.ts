/** A constant: decimal, `0x` hexadecimal, octal after `0`, or `base#digits` with a base from 2 to 64. Wraps at 64 bits. */
export function parseNumber(text: string): bigint | { readonly reason: string } {
  if (/^(0|[1-9]\d{0,14})$/.test(text)) return BigInt(text);
  if (text === '0x' || text === '0X') return 0n;
  const hash = text.indexOf('#');
  if (hash === -1) return parsePlain(text);
  if (text.startsWith('0')) return { reason: 'invalid number' };
  const base = parseDigits(text.slice(0, hash), 10);
  if (typeof base !== 'bigint') return base;
  if (base < 2n || base > 64n) return { reason: 'invalid arithmetic base' };
  const digits = text.slice(hash + 1);
  if (digits === '' || digits.startsWith('#')) return { reason: 'invalid integer constant' };
  return digits.includes('#') ? { reason: 'invalid number' } : parseDigits(digits, Number(base));
}

function parsePlain(text: string): ReturnType<typeof parseNumber> {
  if (/^0[xX]/.test(text)) return parseDigits(text.slice(2), 16);
  return text.startsWith('0') ? parseDigits(text.slice(1), 8) : parseDigits(text, 10);
}

function parseDigits(digits: string, base: number): ReturnType<typeof parseNumber> {
  const bigBase = BigInt(base);
  let value = 0n;
  for (const digit of digits) {
    const digitValue = digitValueOf(digit, base);
    if (digitValue >= base) return { reason: 'value too great for base' };
    value = BigInt.asIntN(64, value * bigBase + BigInt(digitValue));
  }
  return value;
}

function digitValueOf(digit: string, base: number): number {
  if (digit === '@') return 62;
  if (digit === '_') return 63;
  if (digit >= 'A' && digit <= 'Z' && base > 36) return digit.charCodeAt(0) - 'A'.charCodeAt(0) + 36;
  return Number.parseInt(digit, 36);
}
