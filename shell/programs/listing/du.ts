import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { Ino, InodeView } from '../../../tree/live/file-tree.ts';
import { matches } from '../../expand/patterns/match-pattern.ts';
import type { ShellText } from '../../text.ts';
import { attempt, defineProgram, type Invocation } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { quoteName } from '../messages/quote-name.ts';
import { humanSize } from '../notation/human-size.ts';
import { pathOf } from '../paths/operands.ts';
import { baseName, joinPath } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { Steps } from '../streams/steps.ts';

const options = {
  zero: '-0, --null  end each output line with NUL, not newline',
  all: '-a, --all  write counts for all files, not just directories',
  apparent: '--apparent-size  print apparent sizes rather than device usage',
  blockSize: '-B, --block-size=SIZE  scale sizes by SIZE before printing them',
  bytes: "-b, --bytes  equivalent to '--apparent-size --block-size=1'",
  total: '-c, --total  produce a grand total',
  depth:
    '-d, --max-depth=N  print the total for a directory only if it is N or fewer levels below the operand',
  dereference: '-L, --dereference  dereference all symbolic links',
  operandLinks: '-D, -H, --dereference-args  dereference only symlinks that are listed on the command line',
  exclude: '--exclude=PATTERN  exclude files that match PATTERN',
  human: '-h, --human-readable  print sizes in human readable format (e.g., 1K 234M 2G)',
  inodes: '--inodes  list inode usage information instead of block usage',
  kilobytes: '-k  like --block-size=1K',
  megabytes: '-m  like --block-size=1M',
  countLinks: '-l, --count-links  count sizes many times if hard linked',
  noDereference: "-P, --no-dereference  don't follow any symbolic links (default)",
  separate: '-S, --separate-dirs  for directories do not include size of subdirectories',
  si: '--si  like -h, but use powers of 1000 not 1024',
  summarize: '-s, --summarize  display only a total for each argument',
  oneFileSystem: '-x, --one-file-system  skip directories on different file systems',
};

type Key = keyof typeof options;

export const du: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Summarize device usage of the set of FILEs, recursively for directories.',
  options,
  async run(invocation) {
    const { call, options: given, operands, out } = invocation;
    const counter = new UsageCounter(invocation);
    let total = 0;
    let status = 0;
    for (const name of operands.length > 0 ? operands : ['.']) {
      const isDone = await attempt(invocation, `cannot access ${quoteName(name)}`, async () => {
        const follow = given.has('dereference', 'operandLinks');
        const inode = follow ? call.files.stat(pathOf(call, name)) : call.files.lstat(pathOf(call, name));
        total += await counter.count(name, inode, 0);
      });
      if (!isDone) status = 1;
    }
    if (given.has('total')) counter.print(total, 'total');
    await out.flush();
    return status;
  },
});

class UsageCounter {
  readonly #invocation: Invocation<Key>;
  readonly #steps: Steps;
  readonly #counted: Set<Ino> = new Set();
  readonly #depth: number;
  readonly #unit: number;

  constructor(invocation: Invocation<Key>) {
    this.#invocation = invocation;
    this.#steps = new Steps(invocation.call.signal);
    const { options: given } = invocation;
    const depth = given.value('depth');
    this.#depth = given.has('summarize')
      ? 0
      : depth === undefined
        ? Number.POSITIVE_INFINITY
        : countOf(depth, 'invalid maximum depth');
    const size = given.value('blockSize');
    this.#unit = given.has('bytes')
      ? 1
      : given.has('megabytes')
        ? 2 ** 20
        : size === undefined
          ? 1024
          : countOf(/^\d/.test(size) ? size : `1${size}`, 'invalid --block-size argument');
  }

  /** Bytes, or inodes, of a file and all below it. */
  async count(name: ShellText, inode: InodeView, depth: number): Promise<number> {
    await this.#steps.next();
    const { call, options: given, out } = this.#invocation;
    if (given.values('exclude').some((pattern) => matches(pattern, baseName(name)) || matches(pattern, name)))
      return 0;
    if (!isDirectory(inode.mode) && inode.nlink > 1 && !given.has('countLinks')) {
      if (this.#counted.has(inode.ino)) return 0;
      this.#counted.add(inode.ino);
    }
    const isApparent = given.has('apparent', 'bytes');
    let size = given.has('inodes') ? 1 : isApparent ? inode.sizeBytes : inode.allocatedBytes;
    let below = 0;
    if (isDirectory(inode.mode)) {
      for (const entry of call.files.readdir(pathOf(call, name))) {
        const path = joinPath(name, entry);
        const follow = given.has('dereference') && call.files.exists(pathOf(call, path));
        const child = follow ? call.files.stat(pathOf(call, path)) : call.files.lstat(pathOf(call, path));
        const counted = await this.count(path, child, depth + 1);
        if (given.has('separate') && isDirectory(child.mode)) below += counted;
        else size += counted;
      }
    }
    const isShown = depth === 0 || isDirectory(inode.mode) || given.has('all');
    if (isShown && depth <= this.#depth) this.print(size, name);
    if (out.isFull) await out.flush();
    return size + below;
  }

  print(size: number, name: ShellText): void {
    const { options: given, out } = this.#invocation;
    const base = given.last('human', 'si');
    const shown = given.has('inodes')
      ? String(size)
      : base
        ? humanSize(size, base === 'si' ? 1000 : 1024)
        : String(Math.ceil(size / this.#unit));
    out.add(`${shown}\t${name}${given.has('zero') ? '\0' : '\n'}`);
  }
}
