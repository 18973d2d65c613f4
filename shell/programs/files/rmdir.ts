import { ShellError } from '../../shell-error.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';

export const rmdir: Program = defineProgram({
  usage: '[OPTION]... DIRECTORY...',
  summary: 'Remove the DIRECTORY(ies), if they are empty.',
  options: {
    ignore: '--ignore-fail-on-non-empty  ignore each failure that is solely because a directory is non-empty',
    parents:
      "-p, --parents  remove DIRECTORY and its ancestors; e.g., 'rmdir -p a/b' is similar to 'rmdir a/b a'",
    verbose: '-v, --verbose  output a diagnostic for every directory processed',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    let status = 0;
    for (const operand of operands) {
      const names = operand.replace(/\/+$/, '').split('/');
      const least = options.has('parents') ? 1 : names.length;
      for (let count = names.length; count >= least; count--) {
        const name = count === names.length ? operand : names.slice(0, count).join('/');
        if (name === '' && count < names.length) break;
        if (options.has('verbose')) out.add(`${call.name}: removing directory, ${quoteName(name)}\n`);
        const what = `failed to remove ${count < names.length ? 'directory ' : ''}${quoteName(name)}`;
        const isDone = await attempt(invocation, what, () => {
          try {
            if (/(^|\/)\.\/*$/.test(name)) throw new ShellError('EINVAL');
            call.files.rmdir(pathOf(call, name));
          } catch (error) {
            const isIgnored =
              options.has('ignore') && error instanceof ShellError && error.code === 'ENOTEMPTY';
            if (!isIgnored) throw error;
          }
        });
        if (isDone) continue;
        status = 1;
        break;
      }
    }
    return status;
  },
});
