import type { ShellText } from '../../text.ts';
import { compareVersions } from '../order/compare-names.ts';
import { compareText } from '../order/compare-text.ts';
import type { KeyOrder } from './sort-keys.ts';

const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** A key made ready to be compared. */
export type Comparable = string | number | DecimalKey;

/** Digits before and after the point, without zeros that say nothing: numbers of any length. */
interface DecimalKey {
  readonly sign: -1 | 0 | 1;
  readonly whole: string;
  readonly fraction: string;
  /** Of a suffix as `K`; 0 without. */
  readonly power: number;
}

/** What of a key is compared. */
export function comparableOf(text: ShellText, order: KeyOrder): Comparable {
  switch (order.kind) {
    case 'numeric':
      return decimalOf(text, false);
    case 'human':
      return decimalOf(text, true);
    case 'general':
      return generalOf(text);
    case 'month':
      return months.indexOf(text.trimStart().slice(0, 3).toUpperCase());
    case 'random':
      return scattered(text);
    default: {
      let shown = text;
      if (order.ignoresOthers) shown = shown.replaceAll(/[^\p{L}\p{N}\s]/gu, '');
      if (order.ignoresUnprintable) shown = shown.replaceAll(/\p{Cc}/gu, '');
      return order.foldsCase ? shown.toUpperCase() : shown;
    }
  }
}

export function compareComparables(a: Comparable, b: Comparable, kind: KeyOrder['kind']): number {
  if (typeof a === 'number' && typeof b === 'number') {
    if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
    return a < b ? -1 : a > b ? 1 : 0;
  }
  if (typeof a === 'object' && typeof b === 'object') return compareDecimals(a, b);
  const [one, other] = [String(a), String(b)];
  return kind === 'version' ? compareVersions(one, other) : compareText(one, other);
}

const suffixes = 'KMGTPEZYRQ';

function decimalOf(text: ShellText, hasSuffix: boolean): DecimalKey {
  const [, minus = '', digits = '', decimals = '', suffix = ''] =
    /^\s*(-?)(\d*)(?:\.(\d*))?([a-zA-Z]?)/.exec(text) ?? [];
  const whole = digits.replace(/^0+/, '');
  const fraction = decimals.replace(/0+$/, '');
  const isZero = whole === '' && fraction === '';
  // Of lower case `k` alone is one.
  const power = hasSuffix ? suffixes.indexOf(suffix === 'k' ? 'K' : suffix || '?') + 1 : 0;
  return { sign: isZero ? 0 : minus === '' ? 1 : -1, whole, fraction, power };
}

function compareDecimals(a: DecimalKey, b: DecimalKey): number {
  if (a.sign !== b.sign) return a.sign - b.sign;
  const size =
    a.power - b.power ||
    a.whole.length - b.whole.length ||
    compareText(a.whole, b.whole) ||
    compareText(a.fraction, b.fraction);
  return a.sign < 0 ? -size : size;
}

/** What is no number comes first, then NaN. */
function generalOf(text: ShellText): number {
  const [number] = /^\s*[-+]?(?:(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|inf(?:inity)?|nan)/i.exec(text) ?? [];
  if (number === undefined) return Number.NEGATIVE_INFINITY;
  if (/inf/i.test(number))
    return number.trim().startsWith('-') ? -Number.MAX_VALUE : Number.POSITIVE_INFINITY;
  return Number(number);
}

/** The same for the same text: equal keys stay together. */
function scattered(text: ShellText): number {
  let hash = seed;
  for (let at = 0; at < text.length; at++)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x9e3779b1) ^ (hash >>> 15);
  return hash >>> 0;
}

const seed = Math.floor(Math.random() * 2 ** 31);
