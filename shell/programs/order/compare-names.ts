import type { ShellText } from '../../text.ts';

/** By code points, as in the C locale. */
export function compareNames(a: ShellText, b: ShellText): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Numbers within names by their value (strverscmp(3), roughly). */
export function compareVersions(a: ShellText, b: ShellText): number {
  const [left, right] = [a, b].map((name) => name.split(/(\d+)/));
  for (let index = 0; index < Math.max(left?.length ?? 0, right?.length ?? 0); index++) {
    const [one = '', other = ''] = [left?.[index], right?.[index]];
    if (one === other) continue;
    if (index % 2 === 0) return compareNames(one, other);
    const [value, otherValue] = [one.replace(/^0+/, ''), other.replace(/^0+/, '')];
    return value.length - otherValue.length || compareNames(value, otherValue) || other.length - one.length;
  }
  return 0;
}
