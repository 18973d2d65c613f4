import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The project's folder. */
export const root: string = join(import.meta.dirname, '..', '..');

/** One Markdown file; `path` is relative to the project's folder. */
export interface Document {
  readonly path: string;
  readonly text: string;
}

/** A fenced block of code; `line` is that of its first line of code, counted from 1. */
export interface CodeBlock {
  readonly path: string;
  readonly language: string;
  readonly line: number;
  readonly code: string;
}

const notOurs = new Set(['node_modules', 'dist', 'test-results', '.cache']);

/** Every Markdown file of the project. */
export function readDocuments(): Document[] {
  const paths = globSync('**/*.md', { cwd: root, exclude: (name) => notOurs.has(name) });
  return paths.sort().map(readDocument);
}

export function readDocument(path: string): Document {
  return { path, text: readFileSync(join(root, path), 'utf8') };
}

/** The fenced blocks of a document, in their order. */
export function codeBlocks({ path, text }: Document): CodeBlock[] {
  return [...text.matchAll(/^```(\w*)[^\n`]*\n(.*?)^```$/gms)].map((match) => ({
    path,
    language: match[1] ?? '',
    line: text.slice(0, match.index).split('\n').length + 1,
    code: match[2] ?? '',
  }));
}

/** What is prose: a document without its fenced blocks and code spans. */
export function withoutCode({ text }: Document): string {
  return text.replace(/^```.*?^```$/gms, '').replace(/`[^`\n]*`/g, '');
}

/** The rows of every table below a heading (of the whole text without one), as trimmed cells. */
export function tableRows(text: string, heading?: string): string[][] {
  const start = heading === undefined ? 0 : text.indexOf(`\n${heading}\n`);
  if (start < 0) throw new RangeError(`There is no heading "${heading}"`);
  const section =
    heading === undefined ? text : (text.slice(start + heading.length + 2).split(/^#/m)[0] ?? '');
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^[|\s:-]+$/.test(line))
    .map((line) =>
      line
        .slice(1, line.lastIndexOf('|'))
        .split('|')
        .map((cell) => cell.trim()),
    );
}
