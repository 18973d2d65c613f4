import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { type Document, readDocuments, root, withoutCode } from './documents.ts';

test('every relative link of a document leads to a file and a heading that exist', () => {
  const broken = readDocuments().flatMap((document) =>
    linksOf(document).flatMap((link) => {
      const why = brokenBecause(document, link);
      return why === undefined ? [] : [`${document.path}: ${link}: ${why}`];
    }),
  );
  expect(broken).toEqual([]);
});

test('every page of docs/ can be reached from its table of contents', () => {
  const byPath = new Map(readDocuments().map((document) => [document.path, document]));
  const reached = new Set<string>();
  const visit = (path: string): void => {
    const document = byPath.get(path);
    if (document === undefined || reached.has(path)) return;
    reached.add(path);
    for (const link of linksOf(document)) visit(targetOf(document, link).path);
  };
  visit('docs/README.md');
  const lost = [...byPath.keys()].filter((path) => path.startsWith('docs/') && !reached.has(path));
  expect(lost).toEqual([]);
});

function linksOf(document: Document): string[] {
  const targets = [...withoutCode(document).matchAll(/\]\(([^()\s]+)\)/g)].map((match) => match[1] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

function targetOf(document: Document, link: string): { path: string; anchor: string } {
  const [file = '', anchor = ''] = link.split('#');
  const path = file === '' ? document.path : relative(root, join(root, dirname(document.path), file));
  return { path, anchor };
}

function brokenBecause(document: Document, link: string): string | undefined {
  const { path, anchor } = targetOf(document, link);
  if (path.startsWith('..')) return 'it leaves the project';
  if (!existsSync(join(root, path))) return 'there is no such file';
  if (anchor === '' || statSync(join(root, path)).isDirectory()) return undefined;
  return anchors(readFileSync(join(root, path), 'utf8')).has(anchor) ? undefined : 'there is no such heading';
}

/** Anchors of headings, named as GitHub names them. */
function anchors(text: string): Set<string> {
  const headings = text.replace(/^```.*?^```$/gms, '').matchAll(/^#+ (.*)$/gm);
  return new Set(
    [...headings].map((match) =>
      (match[1] ?? '')
        .toLowerCase()
        .replace(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replace(/\s/g, '-'),
    ),
  );
}
