import type { BraceExpansionPart, WordPart } from '../ast.ts';

type BraceItem = BraceExpansionPart['items'][number];

/** A character that is not quoted, or what is no such. */
type Atom = string | WordPart;

const mostNested = 64;

/** The parts of a word, with `{a,b}` and `{1..3}` as what they are. */
export function findBraces(parts: WordPart[]): WordPart[] {
  const mayHave = parts.some((part) => part.type === 'Literal' && part.value.includes('{'));
  return mayHave ? bracesIn(atomsOf(parts), 0) : parts;
}

function atomsOf(parts: readonly WordPart[]): Atom[] {
  return parts.flatMap((part): Atom[] => (part.type === 'Literal' ? [...part.value] : [part]));
}

function bracesIn(atoms: readonly Atom[], depth: number): WordPart[] {
  const parts: WordPart[] = [];
  let literal = '';
  const flush = (): void => {
    if (literal !== '') parts.push({ type: 'Literal', value: literal });
    literal = '';
  };
  const ends = depth < mostNested ? matchBraces(atoms) : new Map<number, number>();
  for (let at = 0; at < atoms.length; at++) {
    const atom = atoms[at] ?? '';
    const end = ends.get(at);
    const part = end === undefined ? undefined : readBraces(atoms.slice(at + 1, end), depth);
    if (part && end !== undefined) {
      flush();
      parts.push(part);
      at = end;
    } else if (typeof atom === 'string') literal += atom;
    else {
      flush();
      parts.push(atom);
    }
  }
  flush();
  return parts;
}

/** Longer than any range. */
const longestRange = 80;

/** Where each brace ends that may be one of a list or a range. */
function matchBraces(atoms: readonly Atom[]): ReadonlyMap<number, number> {
  const ends = new Map<number, number>();
  const open: { at: number; hasComma: boolean }[] = [];
  for (const [at, atom] of atoms.entries()) {
    if (atom === '{') open.push({ at, hasComma: false });
    const innermost = open.at(-1);
    if (!innermost) continue;
    if (atom === ',') innermost.hasComma = true;
    if (atom !== '}') continue;
    open.pop();
    if (innermost.hasComma || at - innermost.at < longestRange) ends.set(innermost.at, at);
  }
  return ends;
}

/** What stands between braces; `undefined` where it is no list and no range. Those that are nested too deep are none. */
function readBraces(atoms: readonly Atom[], depth: number): BraceExpansionPart | undefined {
  let inner = 0;
  let itemStart = 0;
  const items: Atom[][] = [];
  for (const [at, atom] of atoms.entries()) {
    if (atom === '{') inner += 1;
    else if (atom === '}') inner -= 1;
    else if (atom === ',' && inner === 0) {
      items.push(atoms.slice(itemStart, at));
      itemStart = at + 1;
    }
  }
  if (items.length === 0) {
    const range = rangeItems(atoms);
    return range && { type: 'BraceExpansion', items: range };
  }
  items.push(atoms.slice(itemStart));
  const words = items.map((item): BraceItem => {
    return { type: 'Word', word: { type: 'Word', parts: bracesIn(item, depth + 1) } };
  });
  return { type: 'BraceExpansion', items: words };
}

const numbers = /^([-+]?\d+)\.\.([-+]?\d+)(?:\.\.([-+]?\d+))?$/;
const letters = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.([-+]?\d+))?$/;

function rangeItems(atoms: readonly Atom[]): BraceItem[] | undefined {
  if (atoms.length < 4 || atoms.some((atom) => typeof atom !== 'string')) return undefined;
  const text = atoms.join('');
  const [, startStr, endStr, step] = numbers.exec(text) ?? letters.exec(text) ?? [];
  if (startStr === undefined || endStr === undefined) return undefined;
  const isNumeric = numbers.test(text);
  const start = isNumeric ? Number(startStr) : startStr;
  const end = isNumeric ? Number(endStr) : endStr;
  if (isNumeric && !(Number.isSafeInteger(start) && Number.isSafeInteger(end))) return undefined;
  return [
    { type: 'Range', start, end, startStr, endStr, ...(step === undefined ? {} : { step: Number(step) }) },
  ];
}
