/** One case of a file of the Oils suite. What other shells should answer is left out. */
export interface SpecCase {
  /** From 0, as the suite's own runner counts. */
  readonly index: number;
  readonly line: number;
  readonly description: string;
  readonly code: string;
}

export interface SpecFile {
  /** `compare_shells`, `suite`, `legacy_tmp_dir` … */
  readonly metadata: ReadonlyMap<string, string>;
  readonly cases: readonly SpecCase[];
}

type Line =
  | { readonly type: 'case'; readonly description: string }
  | { readonly type: 'metadata'; readonly key: string; readonly value: string }
  | { readonly type: 'block' }
  | { readonly type: 'end' | 'blank' | 'comment' | 'text' };

const metadataLine = /^##\s+(?:(?:OK(?:-\d)?|BUG(?:-\d)?|N-I)\s+[\w+/]+\s+)?([\w-]+):\s*(.*)/;
const endLine = /^##\s+END/;

/**
 * Reads a `*.test.sh` of the Oils suite by the rules of its `test/sh_spec.py`: lines that begin with `#` are left out
 * of the code too.
 * @throws SyntaxError that names the line
 */
export function parseSpecFile(source: string): SpecFile {
  const metadata = new Map<string, string>();
  const cases: { index: number; line: number; description: string; code: string }[] = [];
  let state: 'before code' | 'code' | 'after code' = 'before code';
  let isInBlock = false;
  for (const [index, text] of (source.match(/[^\n]*\n|[^\n]+$/g) ?? []).entries()) {
    const line = readLine(text, index + 1);
    const current = cases.at(-1);
    if (line.type === 'comment') continue;
    if (line.type === 'case') {
      cases.push({ index: cases.length, line: index + 1, description: line.description, code: '' });
      [state, isInBlock] = ['before code', false];
    } else if (line.type === 'metadata' || line.type === 'block') {
      isInBlock = line.type === 'block';
      if (state === 'code') state = 'after code';
      if (line.type === 'metadata' && !current) metadata.set(line.key, line.value);
      if (line.type === 'metadata' && current && line.key === 'code' && state === 'before code') {
        current.code = line.value;
        state = 'after code';
      }
    } else if (isInBlock) {
      if (line.type === 'end') isInBlock = false;
    } else if (line.type === 'blank') {
      if (current && state === 'code') current.code += text;
    } else if (line.type === 'end' || !current || state === 'after code') {
      throw new SyntaxError(`Line ${index + 1} is part of no case`);
    } else {
      state = 'code';
      current.code += text;
    }
  }
  const empty = cases.find(({ code }) => code === '');
  if (empty) throw new SyntaxError(`The case of line ${empty.line} has no code`);
  return { metadata, cases };
}

function readLine(text: string, number: number): Line {
  if (text.trim() === '') return { type: 'blank' };
  if (text.startsWith('####')) return { type: 'case', description: text.slice(4).trim() };
  const [, key, value = ''] = metadataLine.exec(text) ?? [];
  if (key === 'STDOUT' || key === 'STDERR') return { type: 'block' };
  if (key !== undefined) return { type: 'metadata', key, value };
  if (endLine.test(text)) return { type: 'end' };
  if (text.startsWith('##')) throw new SyntaxError(`Line ${number} begins with ## and is no metadata`);
  return { type: text.trimStart().startsWith('#') ? 'comment' : 'text' };
}

/** Whether the suite compares bash in this file. */
export function concernsBash({ metadata }: SpecFile): boolean {
  const shells = (metadata.get('compare_shells') ?? '').split(/\s+/);
  return metadata.get('suite') !== 'disabled' && shells.some((shell) => /^bash(-[\d.]+)?$/.test(shell));
}
