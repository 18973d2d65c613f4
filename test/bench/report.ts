import type { Figures } from './figure.ts';
import { type FigureKey, type Goal, goalOf, meetsGoal } from './goals.ts';

/** A table for a person: each figure, its goal, and whether it is met. */
export function formatTable(figures: Figures, keys: readonly FigureKey[]): string {
  const rows = keys.map((key) => {
    const value = figures[key]?.value ?? null;
    const goal = goalOf(key);
    return [key, value === null ? '–' : String(value), boundOf(goal), markOf(key, value), goal.what];
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')).join('\n');
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
