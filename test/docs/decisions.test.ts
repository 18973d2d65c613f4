import { existsSync, globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readDocument, readDocuments, root } from './documents.ts';
import { citedIds } from './rows.ts';

const decisions = globSync('docs/adr/[0-9]*.md', { cwd: root }).sort().map(readDocument);

/** Below the title, in this one form: `**Status.** Accepted, 2026-11-21.` or `**Status.** Superseded by [ADR 30](0030-x.md), 2026-11-21.` */
const status = /^\*\*Status\.\*\* (?:Accepted|Superseded by \[ADR \d+\]\(([\w-]+\.md)\)), \d{4}-\d\d-\d\d\.$/;

describe('decisions', () => {
  test('are numbered without a gap, by their names and their titles', () => {
    const numbers = decisions.map(({ path, text }) => [
      Number.parseInt(basename(path), 10),
      Number(/^# (\d+)\. \S/.exec(text)?.[1]),
    ]);
    expect(numbers).toEqual(decisions.map((_, index) => [index + 1, index + 1]));
  });

  test('have a status and a date below the title, and those that are superseded say by which', () => {
    const odd = decisions.flatMap(({ path, text }) => {
      const match = status.exec(text.split('\n')[2] ?? '');
      const successor = match?.[1] ?? basename(path);
      return match && existsSync(join(root, dirname(path), successor)) ? [] : [path];
    });
    expect(odd).toEqual([]);
  });

  test('are all in the table of contents, each by its title', () => {
    const contents = readDocument('docs/adr/README.md').text;
    const titles = decisions.map(({ path, text }) => {
      const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? [];
      return `- ${number}: [${title}](${basename(path)})`;
    });
    expect(titles.filter((title) => !contents.includes(title))).toEqual([]);
  });
});

test('rules.md has H-1 to H-10, and each is in the title of a test', () => {
  const ids = [...readDocument('docs/rules.md').text.matchAll(/^## (H-\d+) /gm)].map(([, id = '']) => id);
  expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => `H-${index + 1}`));
  const cited = citedIds();
  expect(ids.filter((id) => !cited.has(id))).toEqual([]);
});

test('no document cites a rule that there is not', () => {
  const unknown = readDocuments().flatMap(({ path, text }) =>
    (text.match(/\bH-\d+\b/g) ?? []).flatMap((id) =>
      Number(id.slice(2)) >= 1 && Number(id.slice(2)) <= 10 ? [] : [`${path}: ${id}`],
    ),
  );
  expect(unknown).toEqual([]);
});

test('the glossary is alphabetical, and has each word once', () => {
  const words = [...readDocument('docs/glossary.md').text.matchAll(/^- \*\*(.+?)\*\*: /gm)].map(
    ([, word = '']) => word.toLowerCase(),
  );
  expect(words.length).toBeGreaterThan(50);
  expect(words).toEqual([...new Set(words)].sort());
});
