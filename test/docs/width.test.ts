import { expect, test } from 'vitest';
import { readDocuments } from './documents.ts';

/** Columns of a line of prose, past which a change of one word shows as a change of a paragraph. */
const mostColumns = 160;

test('no line of prose is over 160 columns', () => {
  const long = readDocuments().flatMap(({ path, text }) =>
    // What is between fences keeps its lines.
    text
      .replace(/^ *```.*?^ *```$/gms, (fenced) => fenced.replace(/.+/g, ''))
      .split('\n')
      .flatMap((line, at) =>
        line.length > mostColumns && !/^ *\|/.test(line) && !isOneWord(line) ? [`${path}:${at + 1}`] : [],
      ),
  );
  expect(long).toEqual([]);
});

/** A span of code cannot be broken. */
function isOneWord(line: string): boolean {
  return /^\s*`[^`]*`[.,;]?$/.test(line);
}
