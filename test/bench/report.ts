import type { Figure, Figures } from './figure.ts';
import { type FigureKey, type Goal, goalOf, meetsGoal } from './goals.ts';

/** A table for a person: each figure, its goal, and whether it is met. */
export function formatTable(figures: Figures, keys: readonly FigureKey[]): string {
  const rows = keys.map((key) => {
    const { value, isSkipped = false } = figures[key] ?? { value: null };
    const goal = goalOf(key);
    const mark = isSkipped ? 'skipped' : markOf(key, value);
    return [key, value === null ? '–' : String(value), boundOf(goal), mark, goal.what];
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
}

/** Whether a figure that was asked for could not be measured. */
export function isMissing(figure: Figure | undefined): boolean {
  return (figure?.value ?? null) === null && !figure?.isSkipped;
}

function boundOf(goal: Goal): string {
  return goal.at === 'any' ? '' : `${goal.at === 'least' ? '≥' : '≤'} ${goal.value}`;
}

function markOf(key: FigureKey, value: number | null): string {
  if (value === null) return 'not measured';
  if (goalOf(key).at === 'any') return 'to compare';
  return meetsGoal(key, value) ? 'met' : 'MISSED';
}

/** One JSON object on one line: a number (or null) for each key, and `details`. */
export function formatJson(
  figures: Figures,
  options: { keys: readonly FigureKey[]; environment: Record<string, unknown> },
): string {
  const { keys, environment } = options;
  const values = keys.map((key) => [key, figures[key]?.value ?? null]);
  const details = keys.map((key) => [key, figures[key]?.details ?? {}]);
  return JSON.stringify({
    ...Object.fromEntries(values),
    details: { ...environment, ...Object.fromEntries(details) },
  });
}
