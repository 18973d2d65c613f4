import { isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import type { ShellText } from '../../text.ts';
import { attempt, type Invocation } from '../command-line/define-program.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import { Steps } from '../streams/steps.ts';

interface Walk {
  readonly isRecursive: boolean;
  /** Links that are operands are followed; those below never are. */
  readonly followsOperands: boolean;
  /** What the program does, for what could not be found out: `cannot access`. */
  readonly failing: string;
}

/** Calls `visit` of each operand and, where it is a directory, of all that it holds. Whether all went well. */
export async function eachFile(
  invocation: Pick<Invocation<never>, 'call' | 'warn' | 'operands'>,
  names: readonly ShellText[],
  {
    isRecursive,
    followsOperands,
    failing,
    visit,
  }: Walk & { visit(name: ShellText, inode: InodeView): unknown },
): Promise<boolean> {
  const { call } = invocation;
  const steps = new Steps(call.signal);
  const walk = async (name: ShellText, follow: boolean): Promise<boolean> => {
    await steps.next();
    let inode: InodeView | undefined;
    await attempt(invocation, `${failing} ${quoteName(name)}`, () => {
      inode = follow ? call.files.stat(pathOf(call, name)) : call.files.lstat(pathOf(call, name));
    });
    if (inode === undefined) return false;
    const { mode } = inode;
    let isDone = (await visit(name, inode)) !== false;
    if (!isRecursive || !isDirectory(mode) || isSymlink(mode)) return isDone;
    for (const below of call.files.readdir(pathOf(call, name))) {
      if (!(await walk(joinPath(name, below), false))) isDone = false;
    }
    return isDone;
  };
  let isDone = true;
  for (const name of names) if (!(await walk(name, followsOperands))) isDone = false;
  return isDone;
}
