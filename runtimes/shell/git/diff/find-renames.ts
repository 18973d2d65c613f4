import { limits } from '../../../../protocol/limits.ts';
import type { Repository } from '../../../../sandbox/git/library/repository.ts';
import { byPath, contentOf, type FileChange, type FileSide } from './file-changes.ts';

/** Of git: what a score counts to, and the least that is a rename by default. */
const whole = 60_000;
const chunkBytes = 64;

interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly score: number;
  readonly isSameName: boolean;
}

/** Takes a file that went and one that came, which are alike, for one that was renamed (`diffcore-rename`). */
export async function findRenames(
  repository: Repository,
  changes: readonly FileChange[],
  { least = 50 }: { readonly least?: number | undefined } = {},
): Promise<FileChange[]> {
  const isFile = ({ mode }: FileSide) => (mode & 0o170000) === 0o100000 || mode === 0o120000;
  const gone = changes.flatMap(({ kind, older }) => (kind === 'D' && older && isFile(older) ? [older] : []));
  const made = changes.flatMap(({ kind, newer }) => (kind === 'A' && newer && isFile(newer) ? [newer] : []));
  if (gone.length === 0 || made.length === 0) return [...changes];
  const found = new Map<FileSide, { readonly older: FileSide; readonly score: number }>();
  const taken = new Set<FileSide>();
  for (const newer of made) {
    const same = gone.filter((older) => older.oid === newer.oid && !taken.has(older) && areKin(older, newer));
    const older = same.find((each) => nameOf(each.path) === nameOf(newer.path)) ?? same[0];
    if (!older) continue;
    taken.add(older);
    found.set(newer, { older, score: whole });
  }
  const left = gone.filter((older) => !taken.has(older));
  const open = made.filter((newer) => !found.has(newer));
  // As git, which looks for no alike files among too many.
  if (left.length * open.length <= limits.gitRenamePairs ** 2) {
    for (const { from, to, score } of await candidates(repository, { left, open, least })) {
      const [older, newer] = [left[from], open[to]];
      if (!older || !newer || taken.has(older) || found.has(newer)) continue;
      taken.add(older);
      found.set(newer, { older, score });
    }
  }
  const rest = changes.filter(
    ({ kind, older, newer }) =>
      !(kind === 'D' && older && taken.has(older)) && !(kind === 'A' && newer && found.has(newer)),
  );
  const renamed = [...found].map(([newer, { older, score }]): FileChange => {
    return { kind: 'R', older, newer, score: Math.floor((score * 100) / whole) };
  });
  return byPath([...rest, ...renamed]);
}

async function candidates(
  repository: Repository,
  {
    left,
    open,
    least,
  }: { readonly left: readonly FileSide[]; readonly open: readonly FileSide[]; readonly least: number },
): Promise<Candidate[]> {
  /** Of the older files, as many as may be held at a time. */
  const held = new Map<FileSide, Chunks>();
  let heldBytes = 0;
  const chunksOf = async (side: FileSide): Promise<Chunks> => {
    const known = held.get(side) ?? chunked(await contentOf(repository, side));
    if (!held.has(side) && heldBytes + known.bytes <= limits.gitRenameBytes) {
      heldBytes += known.bytes;
      held.set(side, known);
    }
    return known;
  };
  const found: Candidate[] = [];
  for (const [to, newer] of open.entries()) {
    const own = chunked(await contentOf(repository, newer));
    for (const [from, older] of left.entries()) {
      repository.signal.throwIfAborted();
      if (!areKin(older, newer)) continue;
      const score = similarity(await chunksOf(older), own);
      if (score * 100 < least * whole) continue;
      found.push({ from, to, score, isSameName: nameOf(older.path) === nameOf(newer.path) });
    }
  }
  return found.sort((a, b) => b.score - a.score || Number(b.isSameName) - Number(a.isSameName));
}

interface Chunks {
  readonly bytes: number;
  readonly counts: ReadonlyMap<number, number>;
}

/** Lines, in pieces of 64 bytes at most, and how many bytes are in equal ones. */
function chunked(content: Uint8Array): Chunks {
  const counts = new Map<number, number>();
  let start = 0;
  for (let at = 0; at < content.length; at++) {
    const isEnd = content[at] === 0x0a || at - start + 1 >= chunkBytes || at === content.length - 1;
    if (!isEnd) continue;
    // FNV-1a: git tells pieces by a hash too.
    let key = 0x811c_9dc5;
    for (let index = start; index <= at; index++) key = Math.imul(key ^ (content[index] ?? 0), 0x0100_0193);
    counts.set(key, (counts.get(key) ?? 0) + at + 1 - start);
    start = at + 1;
  }
  return { bytes: content.length, counts };
}

function similarity(older: Chunks, newer: Chunks): number {
  const most = Math.max(older.bytes, newer.bytes);
  if (most === 0 || older.bytes === 0 || newer.bytes === 0) return 0;
  let copied = 0;
  for (const [key, bytes] of older.counts) copied += Math.min(bytes, newer.counts.get(key) ?? 0);
  return Math.floor((copied * whole) / most);
}

function areKin(one: FileSide, other: FileSide): boolean {
  return (one.mode & 0o170000) === (other.mode & 0o170000);
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
