/** The middle of `values`, the mean of the middle two when their number is even. @throws RangeError on none */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (upper === undefined || lower === undefined) throw new RangeError('There is no median of no values');
  return (upper + lower) / 2;
}

/** `value` with so many significant digits: what a benchmark prints and no more than it knows. */
export function round(value: number, digits = 4): number {
  return Number(value.toPrecision(digits));
}

/** The arithmetic mean. */
export function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
