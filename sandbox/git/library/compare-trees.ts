import type { WalkerEntry } from 'isomorphic-git';
import { limits } from '../../../protocol/limits.ts';
import type { GitDiff, GitDiffAsk } from '../../../protocol/sandbox/git.ts';
import type { GitFiles } from './git-files.ts';
import { withIndexModes } from './index-modes.ts';
import { quotePath } from './quote-path.ts';
import { emptyTree, type Repository } from './repository.ts';

/** Bytes in which git looks for a NUL to tell what is no text (`buffer_is_binary`). */
const probedBytes = 8_000;
const noFile = '/dev/null';

interface Side {
  readonly oid: string;
  /** As git writes it: `100644`. */
  readonly mode: string;
  readonly bytes: Uint8Array;
}

/** Compares two of: a commit, the index, the working tree. In the format of `git diff`, without renames. */
export async function compareTrees(
  repository: Repository,
  { staged = false, from, to, paths = ['.'] }: GitDiffAsk,
  compareText: GitFiles['compareText'],
): Promise<GitDiff> {
  const { library, at, signal } = await withIndexModes(repository);
  const treeOf = async (revision: string) =>
    library.TREE({ ref: revision === emptyTree ? revision : await repository.commitOf(revision) });
  const older =
    from !== undefined
      ? await treeOf(from)
      : staged
        ? library.TREE({ ref: await repository.headTree() })
        : library.STAGE();
  const isOfFiles = to === undefined && !staged;
  const newer = to !== undefined ? await treeOf(to) : staged ? library.STAGE() : library.WORKDIR();
  const patch = new Patch(limits.gitDiffBytes);
  await library.walk({
    ...at,
    trees: [older, newer, library.STAGE()],
    map: async (path, [before = null, after = null, index = null]) => {
      if (path === '.') return path;
      if (!paths.some((each) => isWithin(path, each) || isWithin(each, path))) return null;
      // Files that git does not know are no part of a comparison.
      if (isOfFiles && !before && !index) return null;
      if (patch.isCut) return null;
      const [left, right] = await Promise.all([sideOf(repository, before), sideOf(repository, after)]);
      if (!left && !right) return path;
      if (left?.oid === right?.oid && left?.mode === right?.mode) return path;
      patch.add(path, await textOf(path, { left, right, compareText, signal }));
      return path;
    },
    // One directory after the other, so that little is in memory.
    iterate: async (walk, children) => {
      const walked: unknown[] = [];
      for (const child of children) walked.push(await walk(child));
      return walked;
    },
  });
  return patch.text();
}

/** Whether a path is at or below another. */
function isWithin(path: string, above: string): boolean {
  return above === '.' || path === above || path.startsWith(`${above}/`);
}

/** `undefined` where there is no file. */
async function sideOf({ library, at }: Repository, entry: WalkerEntry | null): Promise<Side | undefined> {
  if (!entry || (await entry.type()) !== 'blob') return undefined;
  const [oid, mode] = await Promise.all([entry.oid(), entry.mode()]);
  if (oid === undefined) return undefined;
  const content = await entry.content();
  const bytes = content ?? (await library.readBlob({ ...at, oid })).blob;
  return { oid, mode: modeText(mode), bytes };
}

function modeText(mode: number): string {
  if ((mode & 0o170000) === 0o120000) return '120000';
  return mode & 0o100 ? '100755' : '100644';
}

async function textOf(
  path: string,
  options: {
    readonly left: Side | undefined;
    readonly right: Side | undefined;
    readonly compareText: GitFiles['compareText'];
    readonly signal: AbortSignal;
  },
): Promise<string> {
  const { left, right, compareText, signal } = options;
  const [a, b] = [quotePath(`a/${path}`), quotePath(`b/${path}`)];
  const lines = [`diff --git ${a} ${b}`];
  if (!left) lines.push(`new file mode ${right?.mode}`);
  else if (!right) lines.push(`deleted file mode ${left.mode}`);
  else if (left.mode !== right.mode) lines.push(`old mode ${left.mode}`, `new mode ${right.mode}`);
  if (left?.oid !== right?.oid) {
    const mode = left && right && left.mode === right.mode ? ` ${left.mode}` : '';
    lines.push(`index ${short(left)}..${short(right)}${mode}`);
    const names = [left ? a : noFile, right ? b : noFile];
    if ([left, right].some((side) => side && isBinary(side.bytes))) {
      lines.push(`Binary files ${names[0]} and ${names[1]} differ`);
    } else {
      const decoder = new TextDecoder();
      const [older, newer] = [left, right].map((side) => decoder.decode(side?.bytes ?? new Uint8Array(0)));
      const hunks = await compareText(older ?? '', newer ?? '', signal);
      if (hunks !== '') return `${lines.join('\n')}\n--- ${names[0]}\n+++ ${names[1]}\n${hunks}`;
    }
  }
  return `${lines.join('\n')}\n`;
}

function short(side: Side | undefined): string {
  return side?.oid.slice(0, 7) ?? '0000000';
}

function isBinary(bytes: Uint8Array): boolean {
  return bytes.length > limits.textDiffBytes || bytes.subarray(0, probedBytes).includes(0);
}

/** Parts of a patch by path, until there is no room for more. */
class Patch {
  readonly #most: number;
  readonly #parts: { readonly path: string; readonly text: string }[] = [];
  #length = 0;
  isCut = false;

  constructor(most: number) {
    this.#most = most;
  }

  add(path: string, text: string): void {
    const room = this.#most - this.#length;
    this.isCut ||= text.length > room;
    this.#parts.push({ path, text: text.slice(0, room) });
    this.#length += Math.min(text.length, room);
  }

  text(): GitDiff {
    const parts = this.#parts.sort((a, b) => (a.path < b.path ? -1 : 1));
    return { patch: parts.map(({ text }) => text).join(''), isCut: this.isCut };
  }
}
