/** A conversion of printf(3) for one floating-point number: `%05.2f`, `%g`, `%e`. */
interface NumberFormat {
  readonly prefix: string;
  readonly suffix: string;
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly conversion: string;
}

const widest = 4096;
const mostPrecise = 100;

/** Reads a format with exactly one conversion of a floating-point number; `undefined` of what is none. */
export function parseNumberFormat(format: string): NumberFormat | undefined {
  const match = /^((?:[^%]|%%)*)%([-+ #0']*)(\d*)(?:\.(\d*))?([aefgEFG])((?:[^%]|%%)*)$/.exec(format);
  if (match === null) return undefined;
  const [, prefix = '', flags = '', width = '', precision, conversion = 'g', suffix = ''] = match;
  return {
    prefix: prefix.replaceAll('%%', '%'),
    suffix: suffix.replaceAll('%%', '%'),
    flags,
    width: Math.min(Number(width), widest),
    precision: precision === undefined ? undefined : Math.min(Number(precision), mostPrecise),
    conversion,
  };
}

export function formatNumber(value: number, format: NumberFormat): string {
  const { prefix, suffix, flags, width, conversion } = format;
  const body = digitsOf(Math.abs(value), format);
  const shown = conversion === conversion.toUpperCase() ? body.toUpperCase() : body;
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const missing = width - sign.length - shown.length;
  if (missing <= 0) return `${prefix}${sign}${shown}${suffix}`;
  if (flags.includes('-')) return `${prefix}${sign}${shown}${' '.repeat(missing)}${suffix}`;
  const isZeroed = flags.includes('0') && Number.isFinite(value);
  const padded = isZeroed ? sign + '0'.repeat(missing) + shown : ' '.repeat(missing) + sign + shown;
  return `${prefix}${padded}${suffix}`;
}

function digitsOf(value: number, { conversion, precision = 6, flags }: NumberFormat): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return 'inf';
  switch (conversion.toLowerCase()) {
    case 'f':
      return fixed(value, precision);
    case 'e':
      return exponential(value, precision);
    default: {
      const significant = precision === 0 ? 1 : precision;
      const exponent = value === 0 ? 0 : Number(value.toExponential(significant - 1).split('e')[1]);
      const isFixed = exponent >= -4 && exponent < significant;
      const text = isFixed ? fixed(value, significant - 1 - exponent) : exponential(value, significant - 1);
      if (flags.includes('#') || !text.includes('.')) return text;
      return text.replace(/\.?0+(e|$)/, '$1');
    }
  }
}

function fixed(value: number, precision: number): string {
  if (value < 1e21) return value.toFixed(precision);
  return `${BigInt(value)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
}

function exponential(value: number, precision: number): string {
  return value.toExponential(precision).replace(/e([-+])(\d)$/, 'e$10$2');
}
