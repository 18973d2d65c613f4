import type { ShellText } from '../../text.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';

export interface Range {
  readonly first: number;
  readonly last: number;
}

/** `1,3-5,7-`: numbers from 1 on, in order and without overlaps. @throws UsageError */
export function parseRanges(text: ShellText, what: 'fields' | 'byte/character positions'): Range[] {
  const ranges = text.split(/[,\s]/).map((part): Range => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (match === null) {
      const kind = what === 'fields' ? 'field value' : 'byte/character position';
      throw new UsageError(`invalid ${kind} ${quoteName(part)}`);
    }
    const [, first = '', dash, last = ''] = match;
    if (first === '' && last === '') {
      throw new UsageError(
        dash === '-'
          ? 'invalid range with no endpoint: -'
          : `${what === 'fields' ? 'fields' : 'byte/character positions'} are numbered from 1`,
      );
    }
    const range = {
      first: first === '' ? 1 : Number(first),
      last: dash === '' ? Number(first) : last === '' ? Number.POSITIVE_INFINITY : Number(last),
    };
    if (range.first === 0 || range.last === 0) throw new UsageError(`${what} are numbered from 1`);
    if (range.last < range.first) throw new UsageError('invalid decreasing range');
    return range;
  });
  return joined(ranges);
}

function joined(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.first - b.first)) {
    const last = result.at(-1);
    if (last && range.first <= last.last)
      result[result.length - 1] = { first: last.first, last: Math.max(last.last, range.last) };
    else result.push(range);
  }
  return result;
}

/** All that the ranges leave out. */
export function complementRanges(ranges: readonly Range[]): Range[] {
  const result: Range[] = [];
  let next = 1;
  for (const { first, last } of ranges) {
    if (first > next) result.push({ first: next, last: first - 1 });
    next = last + 1;
  }
  if (next !== Number.POSITIVE_INFINITY) result.push({ first: next, last: Number.POSITIVE_INFINITY });
  return result;
}
