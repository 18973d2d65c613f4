import { describe, expect, test } from 'vitest';
import { embedPolicy, pagePolicy } from '../../protocol/content-security-policy.ts';
import { errorTable } from '../../protocol/errors.ts';
import { withRuntimeTable } from '../../scripts/runtime-table.ts';
import { ShortcutList } from '../../web/elements/frame/shortcut-list.ts';
import { codeBlocks, readDocument, tableRows } from './documents.ts';
import { citedIds, idsIn, isKnownId } from './rows.ts';

test('errors.md has every code with its status, exit code and whether to try again', () => {
  const [, ...rows] = tableRows(readDocument('docs/reference/errors.md').text, '## Codes');
  const told = rows.map(([code, , status, exitCode, retryable]) => [code, status, exitCode, retryable]);
  const table = Object.entries(errorTable).map(([code, { status, exitCode, retryable }]) => [
    `\`${code}\``,
    String(status),
    String(exitCode),
    retryable ? 'yes' : 'no',
  ]);
  expect(told).toEqual(table);
});

test('keyboard.md has every key of the page’s own list', () => {
  const rows = tableRows(readDocument('docs/reference/keyboard.md').text);
  const told = rows
    .filter(([key]) => key !== 'key')
    .map(([key = '', meaning]) => [key.replace(/`/g, ''), meaning]);
  expect(told).toEqual(shortcuts());
});

test('S-6 host-the-site.md has the policy of the page', () => {
  const blocks = codeBlocks(readDocument('docs/guides/host-the-site.md'));
  const told = blocks.find(({ code }) => code.startsWith('default-src'))?.code ?? '';
  expect(told.trim().split(/;\s+/).sort()).toEqual(pagePolicy.split('; ').sort());
});

test('S-6 embed-in-your-docs.md has the policy of the page of embeds', () => {
  const blocks = codeBlocks(readDocument('docs/guides/embed-in-your-docs.md'));
  const told = blocks.find(({ code }) => code.startsWith('default-src'))?.code ?? '';
  expect(told.trim().split(/;\s+/).sort()).toEqual(embedPolicy.split('; ').sort());
});

describe('support.md', () => {
  const [, ...rows] = tableRows(readDocument('docs/reference/support.md').text, '## Rows');

  test('says of each runtime what its description does', () => {
    const { text } = readDocument('docs/reference/support.md');
    expect(withRuntimeTable(text)).toBe(text);
  });

  test('names rows that exist, each once', () => {
    const ids = rows.map(([id = '']) => id);
    expect(ids.filter((id) => !isKnownId(id))).toEqual([]);
    expect(ids).toEqual([...new Set(ids)]);
  });

  test('says yes, no with the reason, or what is needed', () => {
    const odd = rows.flatMap(([id, , ...runtimes]) =>
      runtimes.some((cell) => !/^(yes|yes, .+|no|no \(.+\)|needs .+)$/.test(cell)) ? [id] : [],
    );
    expect(odd).toEqual([]);
  });

  test('says yes only where a test cites the row, or the rule that it names', () => {
    const cited = citedIds();
    const unproven = rows.flatMap(([id = '', promise = '', ...runtimes]) => {
      const isClaimed = runtimes.some((cell) => cell.startsWith('yes'));
      return isClaimed && !idsIn(`${id} ${promise}`).some((each) => cited.has(each)) ? [id] : [];
    });
    expect(unproven).toEqual([]);
  });
});

/** Keys and meanings as the dialog shows them: the pairs of values of its `dt` and `dd`. */
function shortcuts(): string[][] {
  const pairs: string[][] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isTemplate(value)) return;
    if (value.strings.some((text) => text.includes('<kbd>'))) pairs.push(value.values.map(String));
    else visit(value.values);
  };
  visit(new ShortcutList().render());
  return pairs;
}

function isTemplate(value: unknown): value is { strings: readonly string[]; values: unknown[] } {
  return typeof value === 'object' && value !== null && 'strings' in value && 'values' in value;
}
