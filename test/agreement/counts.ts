import type { Comparison } from './compare.ts';

/** How many cases, and what came of them. */
export interface Counts {
  readonly cases: number;
  readonly same: number;
  readonly differ: number;
  readonly skipped: number;
}

export function countOf(comparisons: readonly Comparison[]): Counts {
  const of = (type: Comparison['type']) => comparisons.filter((one) => one.type === type).length;
  return { cases: comparisons.length, same: of('same'), differ: of('differs'), skipped: of('skipped') };
}

/** Of those that were run, in percent with two digits; `-` of none. */
export function percentage({ same, differ }: Counts): string {
  return same + differ === 0 ? '-' : ((100 * same) / (same + differ)).toFixed(2);
}

/** By the beginning of their files' names (`builtin` of `builtin-cd`), and within by file, in the suite's order. */
export function groupByFile(
  comparisons: readonly Comparison[],
): Map<string, Map<string, readonly Comparison[]>> {
  const groups = Map.groupBy(comparisons, ({ one }) => one.file.split('-')[0] ?? '');
  return new Map([...groups].map(([name, group]) => [name, Map.groupBy(group, ({ one }) => one.file)]));
}

export function countReasons(comparisons: readonly Comparison[]): Map<string, number> {
  const skipped = comparisons.filter((one) => one.type === 'skipped');
  return new Map(
    [...Map.groupBy(skipped, ({ reason }) => reason)].map(([reason, of]) => [reason, of.length]),
  );
}
