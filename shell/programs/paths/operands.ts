import { isDirectory } from '../../../tree/live/file-mode.ts';
import type { InodeView } from '../../../tree/live/file-tree.ts';
import { absolutePath } from '../../files/tree-files.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import type { ProgramCall } from '../program.ts';

/** The path of an operand. */
export function pathOf({ cwd }: Pick<ProgramCall, 'cwd'>, name: ShellText): ShellText {
  return absolutePath(cwd, name);
}

/** The inode of an operand; `undefined` of one that is not there. @throws ShellError of what else is wrong */
export function statIfThere(
  call: ProgramCall,
  name: ShellText,
  { follow = true }: { follow?: boolean } = {},
): InodeView | undefined {
  try {
    const path = pathOf(call, name);
    return follow ? call.files.stat(path) : call.files.lstat(path);
  } catch (error) {
    if (error instanceof ShellError && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined;
    throw error;
  }
}

/** Whether an operand is a directory, or a link to one. */
export function isDirectoryOperand(call: ProgramCall, name: ShellText): boolean {
  try {
    return isDirectory(call.files.stat(pathOf(call, name)).mode);
  } catch {
    return false;
  }
}
