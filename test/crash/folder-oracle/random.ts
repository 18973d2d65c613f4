import { seededRandom } from '../../soak/seeded-random.ts';

/** Choices that a seed repeats. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** From 0 up to `end`, which is not among them. */
  below(end: number): number {
    return Math.floor(this.#next() * end);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('There is nothing to pick from');
    return value;
  }
}
