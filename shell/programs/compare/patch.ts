import { absolutePath } from '../../files/tree-files.ts';
import { ShellError } from '../../shell-error.ts';
import { decodeText, encodeText, type ShellText } from '../../text.ts';
import { defineProgram, type Invocation } from '../command-line/define-program.ts';
import { countOf } from '../command-line/parse-count.ts';
import { ProgramError } from '../messages/program-error.ts';
import { quoteIfNeeded } from '../messages/quote-name.ts';
import { isDirectoryOperand } from '../paths/operands.ts';
import { directoryName } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { heldLines } from '../streams/held-lines.ts';
import { readInput } from '../streams/input.ts';
import { Steps } from '../streams/steps.ts';
import { type AppliedHunk, applyHunk, type PatchableText } from './apply-patch.ts';
import { type FilePatch, type PatchHunk, parsePatch, reversePatch } from './parse-patch.ts';

const options = {
  strip: '-p, --strip=NUM  strip NUM leading components from file names',
  fuzz: '-F, --fuzz=LINES  set the fuzz factor to LINES for inexact matching',
  ignoreBlanks: '-l, --ignore-whitespace  ignore white space changes between patch and input',
  unified: '-u, --unified  interpret the patch as a unified difference',
  normal: '-n, --normal  interpret the patch as a normal difference',
  forward: '-N, --forward  ignore patches that appear to be reversed or already applied',
  reverse: '-R, --reverse  assume patches were created with old and new files swapped',
  input: '-i, --input=PATCHFILE  read patch from PATCHFILE instead of stdin',
  output: '-o, --output=FILE  output patched files to FILE',
  reject: '-r, --reject-file=FILE  output rejects to FILE',
  removeEmpty: '-E, --remove-empty-files  remove output files that are empty after patching',
  backup: '-b, --backup  back up the original contents of each file',
  dryRun: '--dry-run  do not actually change any files; just print what would happen',
  quiet: '-s, --quiet, --silent  work silently unless an error occurs',
  directory: '-d, --directory=DIR  change the working directory to DIR first',
  batch: '-t, --batch  ask no questions; skip bad-Prereq patches; assume reversed',
  force: '-f, --force  like -t, but ignore bad-Prereq patches, and assume unreversed',
  verbose: '--verbose  output extra information about the work being done',
  noBackup: '--no-backup-if-mismatch  back up mismatches only if otherwise requested',
  posix: '--posix  conform to the POSIX standard (ignored)',
};

type Key = keyof typeof options;

export const patch: Program = defineProgram({
  usage: '[OPTION]... [ORIGFILE [PATCHFILE]]',
  summary: 'Apply a diff file to an original.',
  usageStatus: 2,
  options,
  async run(invocation) {
    const { call, options: given, operands, out } = invocation;
    const [original, patchFile] = operands;
    const directory = absolutePath(call.cwd, given.value('directory') ?? '.');
    const source = given.value('input') ?? patchFile ?? '-';
    let text: ShellText;
    try {
      text = decodeText(await readInput({ ...call, cwd: directory }, source));
    } catch (error) {
      if (!(error instanceof ShellError)) throw error;
      throw new ProgramError(`**** Can't open patch file ${source} : ${error.message}`, { status: 2 });
    }
    const patches = parsePatch(text);
    if (patches.length === 0) {
      if (text.trim() !== '')
        throw new ProgramError('**** Only garbage was found in the patch input.', { status: 2 });
      return 0;
    }
    let status = 0;
    for (const parsed of patches) {
      const change = given.has('reverse') ? reversePatch(parsed) : parsed;
      const name = original ?? targetOf(invocation, change, directory);
      if (name === undefined) {
        out.add("can't find file to patch\nNo file to patch.  Skipping patch.\n");
        const count = change.hunks.length;
        out.add(`${count} out of ${count} hunk${count === 1 ? '' : 's'} ignored\n`);
        status = 1;
      } else status = Math.max(status, await new PatchedFile(invocation, { name, directory }).apply(change));
    }
    return status;
  },
});

const noFile = '/dev/null';

/** The file that is meant: the shortest of the names that are there, or the one to be made. */
function targetOf(
  { call, options: given }: Invocation<Key>,
  { oldName, newName }: FilePatch,
  directory: ShellText,
): ShellText | undefined {
  const count = given.value('strip');
  const strip = (name: ShellText): ShellText => {
    if (name === noFile) return name;
    if (count === undefined) return name.slice(name.lastIndexOf('/') + 1);
    return name
      .replace(/^\/+/, '')
      .split(/\/+/)
      .slice(countOf(count, 'strip count') - (name.startsWith('/') ? 1 : 0))
      .join('/');
  };
  const names = [strip(oldName), strip(newName)].filter(
    (name) => name !== noFile && name !== '' && !name.split('/').includes('..'),
  );
  const existing = names.filter((name) => call.files.exists(absolutePath(directory, name)));
  const [best] = [...existing].sort(
    (a, b) => a.split('/').length - b.split('/').length || a.length - b.length,
  );
  if (best !== undefined) return best;
  return oldName === noFile || names.length === 1 ? names[0] : undefined;
}

class PatchedFile {
  readonly #invocation: Invocation<Key>;
  readonly #name: ShellText;
  readonly #path: ShellText;
  readonly #steps: Steps;

  constructor(invocation: Invocation<Key>, { name, directory }: { name: ShellText; directory: ShellText }) {
    this.#invocation = invocation;
    this.#name = name;
    this.#path = absolutePath(directory, name);
    this.#steps = new Steps(invocation.call.signal);
  }

  async apply(change: FilePatch): Promise<number> {
    const { call, options: given, out } = this.#invocation;
    const { files } = call;
    if (isDirectoryOperand(call, this.#path))
      throw new ProgramError(`File ${this.#name} is not a regular file -- refusing to patch`);
    const before = files.exists(this.#path) ? files.readFile(this.#path) : undefined;
    const isQuiet = given.has('quiet');
    if (!isQuiet)
      out.add(`${given.has('dryRun') ? 'checking' : 'patching'} file ${quoteIfNeeded(this.#name)}\n`);
    const text = textOf(before);
    const mostFuzz = countOf(given.value('fuzz') ?? '2', 'fuzz factor');
    const isApplied = !given.has('force') && (await this.#isAppliedAlready(text, change));
    if (isApplied) {
      // GNU's patch asks where it has a terminal, which it has not here.
      const isSkipped = given.has('forward') || !given.has('batch');
      out.add(
        `Reversed (or previously applied) patch detected!  ${isSkipped ? 'Skipping patch' : 'Assuming -R'}.\n`,
      );
      if (isSkipped) return this.#reject(change, change.hunks);
    }
    const hunks = isApplied ? reversePatch(change).hunks : change.hunks;
    const rejected: PatchHunk[] = [];
    /** Lines that earlier hunks have added, and how far the last was from its place. */
    let [grown, moved] = [0, 0];
    let isInexact = false;
    for (const [index, hunk] of hunks.entries()) {
      const length = text.lines.length;
      const applied = await applyHunk(text, hunk, {
        shift: grown + moved,
        mostFuzz,
        ignoresBlanks: given.has('ignoreBlanks'),
        steps: this.#steps,
      });
      if (applied.line === undefined) {
        rejected.push(hunk);
        out.add(`Hunk #${index + 1} FAILED at ${hunk.oldStart + grown + moved}.\n`);
        continue;
      }
      grown += text.lines.length - length;
      moved += applied.offset;
      isInexact ||= moved !== 0 || applied.fuzz > 0;
      if (!isQuiet) out.add(applicationText({ ...applied, offset: moved }, index, given.has('verbose')));
    }
    if (!given.has('dryRun') && rejected.length < hunks.length)
      this.#write(text, {
        before,
        isRemoved: change.newName === noFile,
        keepsOld: isInexact || rejected.length > 0,
      });
    return rejected.length > 0 ? this.#reject(change, rejected) : 0;
  }

  /** Whether the change is there already: its first hunk fits only when it is turned round. */
  async #isAppliedAlready(text: PatchableText, change: FilePatch): Promise<boolean> {
    const exactly = { shift: 0, mostFuzz: 0, ignoresBlanks: false, steps: this.#steps };
    const fits = async ({ hunks: [hunk] }: FilePatch) =>
      hunk !== undefined && (await applyHunk({ ...text }, hunk, exactly)).line !== undefined;
    const isInsertionOnly = change.hunks[0]?.lines.every(({ kind }) => kind === 'add');
    return !isInsertionOnly && !(await fits(change)) && (await fits(reversePatch(change)));
  }

  #write(
    text: PatchableText,
    {
      before,
      isRemoved,
      keepsOld,
    }: { before: Uint8Array | undefined; isRemoved: boolean; keepsOld: boolean },
  ): void {
    const { call, options: given } = this.#invocation;
    const output = given.value('output');
    const bytes = encodeText(text.lines.join('\n') + (text.isEnded && text.lines.length > 0 ? '\n' : ''));
    if (output !== undefined) {
      call.files.writeFile(absolutePath(call.cwd, output), bytes, call);
      return;
    }
    const isKept = given.has('backup') || (keepsOld && !given.has('noBackup'));
    if (isKept && before !== undefined) call.files.writeFile(`${this.#path}.orig`, before, call);
    if (bytes.length === 0 && (isRemoved || given.has('removeEmpty'))) {
      if (before !== undefined) call.files.unlink(this.#path);
      return;
    }
    this.#makeDirectories(directoryName(this.#path));
    call.files.writeFile(this.#path, bytes, call);
  }

  #makeDirectories(directory: ShellText): void {
    const { call } = this.#invocation;
    if (directory === '/' || call.files.exists(directory)) return;
    this.#makeDirectories(directoryName(directory));
    call.files.mkdir(directory, call);
  }

  #reject({ hunks }: FilePatch, rejected: readonly PatchHunk[]): number {
    const { call, options: given, out } = this.#invocation;
    const name = given.value('reject') ?? `${this.#name}.rej`;
    const plural = hunks.length === 1 ? '' : 's';
    const saves = given.has('dryRun') ? '' : ` -- saving rejects to file ${quoteIfNeeded(name)}`;
    const what = rejected === hunks ? 'ignored' : 'FAILED';
    out.add(`${rejected.length} out of ${hunks.length} hunk${plural} ${what}${saves}\n`);
    if (given.has('dryRun')) return 1;
    const marks = { keep: ' ', remove: '-', add: '+' };
    const body = rejected.map(({ oldStart, lines }) => {
      const count = (kind: 'remove' | 'add') =>
        lines.filter((line) => line.kind !== (kind === 'remove' ? 'add' : 'remove')).length;
      const rows = lines.map(({ kind, text }) => `${marks[kind]}${text}\n`).join('');
      return `@@ -${oldStart},${count('remove')} +${oldStart},${count('add')} @@\n${rows}`;
    });
    const path = given.has('reject') ? absolutePath(call.cwd, name) : `${this.#path}.rej`;
    call.files.writeFile(path, encodeText(`--- ${this.#name}\n+++ ${this.#name}\n${body.join('')}`), call);
    return 1;
  }
}

function applicationText({ line, offset, fuzz }: AppliedHunk, index: number, isVerbose: boolean): ShellText {
  if (offset === 0 && fuzz === 0 && !isVerbose) return '';
  const moved = offset === 0 ? '' : ` (offset ${offset} line${Math.abs(offset) === 1 ? '' : 's'})`;
  return `Hunk #${index + 1} succeeded at ${line}${fuzz > 0 ? ` with fuzz ${fuzz}` : ''}${moved}.\n`;
}

function textOf(bytes: Uint8Array | undefined): PatchableText {
  if (bytes === undefined || bytes.length === 0) return { lines: [], isEnded: true };
  const isEnded = bytes.at(-1) === 0x0a;
  return { lines: heldLines(decodeText(isEnded ? bytes.subarray(0, -1) : bytes)), isEnded };
}
