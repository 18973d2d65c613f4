import { defineProgram } from '../command-line/define-program.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf, statIfThere } from '../paths/operands.ts';
import { baseName } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { ask } from '../streams/ask.ts';
import { TreeRemover } from './remove-tree.ts';

export const rm: Program = defineProgram({
  usage: '[OPTION]... [FILE]...',
  summary: 'Remove (unlink) the FILE(s).',
  options: {
    force: '-f, --force  ignore nonexistent files and arguments, never prompt',
    ask: '-i  prompt before every removal',
    askOnce: '-I  prompt once before removing more than three files, or when removing recursively',
    interactive: '--interactive[=WHEN]  prompt according to WHEN: never, once (-I), or always (-i)',
    oneFileSystem: '--one-file-system  skip any directory on another file system',
    noPreserve: "--no-preserve-root  do not treat '/' specially",
    preserve: "--preserve-root[=all]  do not remove '/' (default)",
    recursive: '-r, -R, --recursive  remove directories and their contents recursively',
    directory: '-d, --dir  remove empty directories',
    verbose: '-v, --verbose  explain what is being done',
  },
  async run(invocation) {
    const { call, options, operands } = invocation;
    const last = options.last('force', 'ask', 'askOnce', 'interactive');
    const when = last === 'interactive' ? (options.value('interactive') ?? 'always') : '';
    const isForced = options.has('force') && last === 'force';
    const isRecursive = options.has('recursive');
    const asks = last === 'ask' || ['always', 'yes'].includes(when);
    if (operands.length === 0) {
      if (options.has('force')) return 0;
      throw new UsageError('missing operand');
    }
    const asksOnce = last === 'askOnce' || when === 'once';
    if (asksOnce && (operands.length > 3 || isRecursive)) {
      const count = `${operands.length} argument${operands.length === 1 ? '' : 's'}`;
      if (!(await ask(call, `remove ${count}${isRecursive ? ' recursively' : ''}?`))) return 0;
    }
    const remover = new TreeRemover(invocation, {
      isRecursive,
      removesEmptyDirectories: options.has('directory'),
      asks,
      isVerbose: options.has('verbose'),
    });
    let status = 0;
    for (const name of operands) {
      if (isRecursive && ['.', '..'].includes(baseName(name))) {
        await invocation.warn(`refusing to remove '.' or '..' directory: skipping ${quoteName(name)}`);
        status = 1;
      } else if (isRecursive && !options.has('noPreserve') && pathOf(call, name) === '/') {
        const where = name === '/' ? "'/'" : `${quoteName(name)} (same as '/')`;
        await invocation.warn(`it is dangerous to operate recursively on ${where}`);
        await invocation.warn('use --no-preserve-root to override this failsafe');
        status = 1;
      } else if (isForced && statIfThere(call, name, { follow: false }) === undefined) {
      } else if (!(await remover.remove(name))) status = 1;
    }
    return status;
  },
});
