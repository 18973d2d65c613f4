import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './documents.ts';

/** How many rows each part of the promise has; `B-1` is the first of the browser machine. */
const rowsOfPart: Readonly<Record<string, number>> = {
  B: 11,
  R: 12,
  T: 15,
  O: 12,
  S: 14,
  I: 7,
  P: 9,
  C: 8,
  X: 8,
};
const rules = 10;

/** Whether an id names a row of the promise (`B-3`) or a rule (`H-4`). */
export function isKnownId(id: string): boolean {
  const [part = '', digits = ''] = id.split('-');
  const most = part === 'H' ? rules : (rowsOfPart[part] ?? 0);
  return Number(digits) >= 1 && Number(digits) <= most;
}

export function idsIn(text: string): string[] {
  return text.match(/\b[A-Z]-\d+\b/g) ?? [];
}

const testFiles = [
  '{tree,protocol,recording,sandbox,shell,sdk,runtimes,web,bridge-server,host,images,guest,scripts,wasm,test}/**/*.{test,e2e}.ts',
  'test/**/*-suite.ts',
];

/** The ids of rows and rules that titles of tests and groups cite. Those of protocol/SPEC.md have two letters. */
export function citedIds(): Set<string> {
  const files = globSync(testFiles, { cwd: root, exclude: (name) => name === 'node_modules' });
  return new Set(
    files.flatMap((file) => {
      const source = readFileSync(join(root, file), 'utf8');
      const titles = source.match(/\b(?:test|it|describe)\b[^'"`\n]*\(\s*(['"`]).*?\1/gs) ?? [];
      return titles.flatMap(idsIn);
    }),
  );
}
