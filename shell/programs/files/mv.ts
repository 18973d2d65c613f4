import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import { ShellError } from '../../shell-error.ts';
import { attempt, defineProgram, type Invocation } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { ask } from '../streams/ask.ts';
import { type Transfer, transfersOf } from './destination.ts';

export const mv: Program = defineProgram({
  usage: '[OPTION]... [-T] SOURCE DEST\n  or:  mv [OPTION]... SOURCE... DIRECTORY',
  summary: 'Rename SOURCE to DEST, or move SOURCE(s) to DIRECTORY.',
  options: {
    force: '-f, --force  do not prompt before overwriting',
    interactive: '-i, --interactive  prompt before overwrite',
    noClobber: '-n, --no-clobber  do not overwrite an existing file',
    slashes: '--strip-trailing-slashes  remove any trailing slashes from each SOURCE argument',
    target: '-t, --target-directory=DIRECTORY  move all SOURCE arguments into DIRECTORY',
    noTarget: '-T, --no-target-directory  treat DEST as a normal file',
    update: '-u, --update  move only when the SOURCE file is newer than the destination file',
    verbose: '-v, --verbose  explain what is being done',
  },
  async run(invocation) {
    const { call, options, out } = invocation;
    const strips = options.has('slashes');
    const operands = invocation.operands.map((name) => (strips ? name.replace(/(?<=.)\/+$/, '') : name));
    const transfers = transfersOf(call, operands, {
      targetDirectory: options.value('target'),
      isNotDirectory: options.has('noTarget'),
    });
    const overwriting = options.last('force', 'interactive', 'noClobber');
    let status = 0;
    for (const transfer of transfers) {
      const { from, to } = transfer;
      let isMoved: boolean | 'skipped' = false;
      const isThere = await attempt(invocation, `cannot stat ${quoteName(from)}`, async () => {
        const source = call.files.lstat(pathOf(call, from));
        const target = statIfThere(call, to, { follow: false });
        if (target && overwriting === 'noClobber') isMoved = 'skipped';
        else if (target && options.has('update') && !isNewer(source, target)) isMoved = 'skipped';
        else if (
          target &&
          overwriting === 'interactive' &&
          !(await ask(call, `overwrite ${quoteName(to)}?`))
        ) {
          isMoved = 'skipped';
        } else isMoved = await move(invocation, transfer, { source, target });
      });
      if (!isThere || !isMoved) status = 1;
      if ((isMoved as boolean | 'skipped') === true && options.has('verbose')) {
        out.add(`renamed ${quoteName(from)} -> ${quoteName(to)}\n`);
      }
    }
    return status;
  },
});

function isNewer(source: InodeView, target: InodeView): boolean {
  const seconds = source.mtimeSeconds - target.mtimeSeconds;
  return seconds > 0 || (seconds === 0 && source.mtimeNanoseconds > target.mtimeNanoseconds);
}

async function move(
  invocation: Pick<Invocation<never>, 'call' | 'warn'>,
  { from, to }: Transfer,
  { source, target }: { source: InodeView; target: InodeView | undefined },
): Promise<boolean> {
  const { call, warn } = invocation;
  const refusal = (message: string) => warn(message).then(() => false);
  if (target && target.ino === source.ino && pathOf(call, from) === pathOf(call, to)) {
    return refusal(`${quoteName(from)} and ${quoteName(to)} are the same file`);
  }
  if (target && isDirectory(target.mode) && !isDirectory(source.mode)) {
    return refusal(`cannot overwrite directory ${quoteName(to)} with non-directory`);
  }
  if (target && !isDirectory(target.mode) && isDirectory(source.mode)) {
    return refusal(`cannot overwrite non-directory ${quoteName(to)} with directory ${quoteName(from)}`);
  }
  return attempt(invocation, `cannot move ${quoteName(from)} to ${quoteName(to)}`, async () => {
    try {
      // Two names of one file: the source goes, as it would with any other destination.
      if (target && target.ino === source.ino) call.files.unlink(pathOf(call, from));
      else call.files.rename(pathOf(call, from), pathOf(call, to));
    } catch (error) {
      if (!(error instanceof ShellError) || error.code !== 'EINVAL') throw error;
      await warn(`cannot move ${quoteName(from)} to a subdirectory of itself, ${quoteName(to)}`);
      throw new SubdirectoryOfItself();
    }
  }).catch((error) => {
    if (error instanceof SubdirectoryOfItself) return false;
    throw error;
  });
}

class SubdirectoryOfItself extends Error {}
