import type { Answer } from './case-place.ts';
import type { Comparison } from './compare.ts';
import { type Counts, countOf, countReasons, groupByFile, percentage } from './counts.ts';

/** A table for a person: each group of files, its files, and all. */
export function formatTable(comparisons: readonly Comparison[]): string {
  const rows = [['', 'cases', 'same', 'differ', 'skipped', '%']];
  for (const [name, files] of groupByFile(comparisons)) {
    if (files.size > 1) rows.push(rowOf(`${name}-*`, countOf([...files.values()].flat())));
    const indent = files.size > 1 ? '  ' : '';
    for (const [file, of] of files) rows.push(rowOf(`${indent}${file}`, countOf(of)));
  }
  rows.push(rowOf('all', countOf(comparisons)));
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) => {
    const pad = (cell: string, column: number) =>
      column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
    return row.map(pad).join('  ');
  });
  const reasons = [...countReasons(comparisons)].map(([reason, count]) => `${count} skipped: ${reason}`);
  return [...lines, ...(reasons.length > 0 ? ['', ...reasons] : [])].join('\n');
}

function rowOf(name: string, counts: Counts): string[] {
  const { cases, same, differ, skipped } = counts;
  return [name, ...[cases, same, differ, skipped].map(String), percentage(counts)];
}

/** One JSON object on one line. */
export function formatJson(comparisons: readonly Comparison[], version: string): string {
  const files = Map.groupBy(comparisons, ({ one }) => one.file);
  const all = countOf(comparisons);
  const differing = comparisons
    .filter((one) => one.type === 'differs')
    .map(({ one }) => `${one.file}:${one.index}`);
  return JSON.stringify({
    bash: version,
    percentage: Number(percentage(all)) || null,
    ...all,
    reasons: Object.fromEntries(countReasons(comparisons)),
    files: Object.fromEntries([...files].map(([file, of]) => [file, countOf(of)])),
    differing,
  });
}

/** Every case that differs, with its code and both answers. */
export function formatDifferences(comparisons: readonly Comparison[]): string {
  return comparisons.map((one) => (one.type === 'differs' ? formatDifference(one) : '')).join('');
}

function formatDifference({ one, expected, got }: Extract<Comparison, { type: 'same' | 'differs' }>): string {
  return [
    `======== ${one.file}:${one.index} ${one.description} (line ${one.line})\n`,
    ended(one.code),
    ...formatAnswer('bash', expected),
    ...formatAnswer(`ours${got.failure === undefined ? '' : `, which ${got.failure}`}`, got),
    '\n',
  ].join('');
}

function formatAnswer(whose: string, { status, stdout, stderr }: Answer): string[] {
  const errors = stderr === '' ? [] : ['-------- its stderr\n', ended(textOf(stderr))];
  return [`-------- ${whose}: status ${status}\n`, ended(textOf(stdout)), ...errors];
}

function textOf(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString();
}

/** With a line break at the end, and a mark where it had none. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}⏎\n`;
}
