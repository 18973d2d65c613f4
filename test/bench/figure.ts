import type { FigureKey } from './goals.ts';

/** One measured number, or `null` with `details.reason` where it could not be measured. */
export interface Figure {
  readonly value: number | null;
  /** It was not asked for: `null` is no failure then. */
  readonly isSkipped?: boolean;
  /** What it was made of: medians of both sides, how many runs, with what. */
  readonly details: Readonly<Record<string, unknown>>;
}

export type Figures = Partial<Record<FigureKey, Figure>>;

/** Measures the figures that belong together, both sides of each ratio by turns in one run, with what a lab has. */
export interface Benchmark<Lab> {
  readonly keys: readonly FigureKey[];
  readonly measure: (lab: Lab) => Promise<Figures>;
}
