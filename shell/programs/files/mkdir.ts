import { isDirectory } from '../../../tree/live/file-mode.ts';
import { errorMessages } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { parseMode } from '../attributes/mode-change.ts';
import { attempt, defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { isDirectoryOperand, pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';

export const mkdir: Program = defineProgram({
  usage: '[OPTION]... DIRECTORY...',
  summary: 'Create the DIRECTORY(ies), if they do not already exist.',
  options: {
    mode: '-m, --mode=MODE  set file mode (as in chmod), not a=rwx - umask',
    parents: '-p, --parents  no error if existing, make parent directories as needed',
    verbose: '-v, --verbose  print a message for each created directory',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    const text = options.value('mode');
    const change = text === undefined ? undefined : parseMode(text);
    if (text !== undefined && change === undefined) throw new ProgramError(`invalid mode ${quoteName(text)}`);
    const told = options.has('verbose') ? invocation.out : undefined;
    let status = 0;
    for (const name of operands) {
      const isDone = await attempt(invocation, `cannot create directory ${quoteName(name)}`, async () => {
        if (options.has('parents')) {
          const obstacle = makeParents(invocation, name, (made) =>
            told?.add(`${call.name}: created directory ${quoteName(made)}\n`),
          );
          if (obstacle !== undefined) {
            await invocation.warn(`cannot create directory ${quoteName(obstacle)}: ${errorMessages.ENOTDIR}`);
            status = 1;
            return;
          }
          if (isDirectoryOperand(call, name)) return;
        }
        call.files.mkdir(pathOf(call, name), call);
        told?.add(`${call.name}: created directory ${quoteName(name)}\n`);
        if (!change) return;
        const mode = call.files.stat(pathOf(call, name)).mode & 0o7777;
        const base = (mode & 0o7000) | 0o777;
        call.files.chmod(pathOf(call, name), change(base, { isDirectory: true, umask: call.umask }));
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

/** Makes the directories above `name` that are missing. Answers the one that is something else. */
function makeParents(
  { call }: Pick<Invocation<never>, 'call'>,
  name: ShellText,
  onMade: (made: ShellText) => void,
): ShellText | undefined {
  const names = name.replace(/\/+$/, '').split('/');
  for (let count = 1; count < names.length; count++) {
    const parent = names.slice(0, count).join('/');
    if (parent === '') continue;
    const path = pathOf(call, parent);
    if (call.files.exists(path)) {
      if (!isDirectory(call.files.stat(path).mode)) return parent;
      continue;
    }
    call.files.mkdir(path, { ...call, umask: call.umask & ~0o300 });
    onMade(parent);
  }
  return undefined;
}
