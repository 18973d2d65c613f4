import { errorMessages } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { isDirectoryOperand, statIfThere } from '../paths/operands.ts';
import { baseName, joinPath } from '../paths/path-names.ts';
import type { ProgramCall } from '../program.ts';

/** A source and what it becomes. */
export interface Transfer {
  readonly from: ShellText;
  readonly to: ShellText;
}

interface DestinationRules {
  /** `-t` */
  readonly targetDirectory: ShellText | undefined;
  /** `-T`: the destination is no directory to put things into. */
  readonly isNotDirectory: boolean;
  /** Keeps the whole path of a source below the directory (`cp --parents`). */
  readonly keepsParents?: boolean;
  /** With one operand, the destination is the working directory (`ln`). */
  readonly allowsOne?: boolean;
}

/** Sources and destinations of `cp`, `mv`, `ln` and `install`. @throws UsageError, ProgramError */
export function transfersOf(
  call: ProgramCall,
  operands: readonly ShellText[],
  { targetDirectory, isNotDirectory, keepsParents = false, allowsOne = false }: DestinationRules,
): Transfer[] {
  const [first, second, third] = operands;
  if (first === undefined) throw new UsageError('missing file operand');
  const into = (directory: ShellText, from: ShellText): Transfer => ({
    from,
    to: joinPath(directory, keepsParents ? from.replace(/^\/+/, '') : baseName(from)),
  });
  if (targetDirectory !== undefined) {
    if (!isDirectoryOperand(call, targetDirectory)) {
      throw new ProgramError(
        `target directory ${quoteName(targetDirectory)}: ${whyNot(call, targetDirectory)}`,
      );
    }
    return operands.map((from) => into(targetDirectory, from));
  }
  if (second === undefined) {
    if (allowsOne) return [into('.', first)];
    throw new UsageError(`missing destination file operand after ${quoteName(first)}`);
  }
  if (isNotDirectory) {
    if (third !== undefined) throw new UsageError(`extra operand ${quoteName(third)}`);
    return [{ from: first, to: second }];
  }
  const destination = operands.at(-1) ?? second;
  if (isDirectoryOperand(call, destination)) {
    return operands.slice(0, -1).map((from) => into(destination, from));
  }
  if (third !== undefined) {
    throw new ProgramError(`target ${quoteName(destination)}: ${whyNot(call, destination)}`);
  }
  return [{ from: first, to: second }];
}

function whyNot(call: ProgramCall, name: ShellText): string {
  return errorMessages[statIfThere(call, name) === undefined ? 'ENOENT' : 'ENOTDIR'];
}
