import { decodeAnsiC } from '../../syntax/ansi-c.ts';
import type { ShellText } from '../../text.ts';
import { heldLines } from '../streams/held-lines.ts';

export interface PatchLine {
  readonly kind: 'keep' | 'remove' | 'add';
  readonly text: ShellText;
  /** No newline is after it: it is the last of its file. */
  isOpen: boolean;
}

export interface PatchHunk {
  readonly oldStart: number;
  readonly lines: readonly PatchLine[];
}

/** The changes of one file. */
export interface FilePatch {
  readonly oldName: ShellText;
  readonly newName: ShellText;
  readonly hunks: readonly PatchHunk[];
}

/** Reads unified and normal differences; what is none is passed over. */
export function parsePatch(text: ShellText): FilePatch[] {
  const lines = heldLines(text);
  if (lines.at(-1) === '') lines.pop();
  const patches: { oldName: ShellText; newName: ShellText; hunks: PatchHunk[] }[] = [];
  let index = '';
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const next = lines[at + 1] ?? '';
    if (line.startsWith('Index: ')) index = line.slice(7).trim();
    if (line.startsWith('--- ') && next.startsWith('+++ ')) {
      patches.push({ oldName: nameOf(line), newName: nameOf(next), hunks: [] });
      at += 2;
      continue;
    }
    const unified = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    const normal = /^(\d+)(?:,(\d+))?([acd])(\d+)(?:,(\d+))?$/.exec(line);
    if (!unified && !normal) {
      at += 1;
      continue;
    }
    if (patches.length === 0) patches.push({ oldName: index, newName: index, hunks: [] });
    const read = unified ? readUnified(lines, at + 1, unified) : readNormal(lines, at + 1, normal ?? []);
    patches.at(-1)?.hunks.push(read.hunk);
    at = read.end;
  }
  return patches.filter(({ hunks }) => hunks.length > 0);
}

function nameOf(line: ShellText): ShellText {
  const [, quoted] = /^.{4}"((?:\\.|[^"\\])*)"/.exec(line) ?? [];
  if (quoted !== undefined) return decodeAnsiC(quoted);
  return line.slice(4).split('\t')[0]?.trimEnd() ?? '';
}

function readUnified(
  lines: readonly ShellText[],
  start: number,
  [, oldStart, oldCount = '1', , newCount = '1']: readonly (string | undefined)[],
): { hunk: PatchHunk; end: number } {
  const read: PatchLine[] = [];
  let [oldLeft, newLeft, at] = [Number(oldCount), Number(newCount), start];
  for (; at < lines.length && (oldLeft > 0 || newLeft > 0 || lines[at]?.startsWith('\\')); at++) {
    const line = lines[at] ?? '';
    const last = read.at(-1);
    if (line.startsWith('\\')) {
      if (last) last.isOpen = true;
      continue;
    }
    const kind = line.startsWith('-') ? 'remove' : line.startsWith('+') ? 'add' : 'keep';
    if (kind !== 'add') oldLeft -= 1;
    if (kind !== 'remove') newLeft -= 1;
    read.push({ kind, text: line.slice(1), isOpen: false });
  }
  // Of a file that is empty nothing is kept, and it starts at 0.
  const first = Number(oldStart) + (oldCount === '0' ? 1 : 0);
  return { hunk: { oldStart: first, lines: read }, end: at };
}

function readNormal(
  lines: readonly ShellText[],
  start: number,
  [, oldFirst, , letter]: readonly (string | undefined)[],
): { hunk: PatchHunk; end: number } {
  const read: PatchLine[] = [];
  let at = start;
  for (; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const last = read.at(-1);
    if (line.startsWith('\\')) {
      if (last) last.isOpen = true;
    } else if (line.startsWith('< ') || line.startsWith('> ')) {
      read.push({ kind: line.startsWith('<') ? 'remove' : 'add', text: line.slice(2), isOpen: false });
    } else if (line !== '---') break;
  }
  return { hunk: { oldStart: Number(oldFirst) + (letter === 'a' ? 1 : 0), lines: read }, end: at };
}

/** The same changes the other way round. */
export function reversePatch({ oldName, newName, hunks }: FilePatch): FilePatch {
  let shift = 0;
  const reversed = hunks.map(({ oldStart, lines }) => {
    const count = (kind: PatchLine['kind']) => lines.filter((line) => line.kind === kind).length;
    const start = oldStart + shift;
    shift += count('add') - count('remove');
    const turned = lines.map((line) => ({
      ...line,
      kind: line.kind === 'add' ? ('remove' as const) : line.kind === 'remove' ? ('add' as const) : line.kind,
    }));
    return { oldStart: start, lines: removalsFirst(turned) };
  });
  return { oldName: newName, newName: oldName, hunks: reversed };
}

/** Within a run of changes what is removed stands before what is added. */
function removalsFirst(lines: readonly PatchLine[]): PatchLine[] {
  const ordered: PatchLine[] = [];
  let added: PatchLine[] = [];
  for (const line of lines) {
    if (line.kind === 'add') {
      added.push(line);
      continue;
    }
    if (line.kind === 'keep') {
      for (const waiting of added) ordered.push(waiting);
      added = [];
    }
    ordered.push(line);
  }
  return [...ordered, ...added];
}
