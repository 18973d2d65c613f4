import { isDirectory, isSymlink } from '../../../tree/live/file-mode.ts';
import { modeText } from '../attributes/file-kind.ts';
import { type ModeChange, parseMode } from '../attributes/mode-change.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import type { Program } from '../program.ts';
import { eachFile } from './each-file.ts';

export const chmod: Program = defineProgram({
  usage: '[OPTION]... MODE[,MODE]... FILE...',
  summary: 'Change the mode of each FILE to MODE.',
  options: {
    changes: '-c, --changes  like verbose but report only when a change is made',
    quiet: '-f, --silent, --quiet  suppress most error messages',
    verbose: '-v, --verbose  output a diagnostic for every file processed',
    noPreserve: "--no-preserve-root  do not treat '/' specially (the default)",
    preserve: "--preserve-root  fail to operate recursively on '/'",
    reference: "--reference=RFILE  use RFILE's mode instead of MODE values",
    recursive: '-R, --recursive  change files and directories recursively',
  },
  // `-x` is a mode here, not an option.
  rewrite: (args) => {
    const end = args.indexOf('--');
    const index = args.findIndex((argument, at) => (end < 0 || at < end) && /^-[rwxXst]+/.test(argument));
    return index < 0 ? args : [...args.slice(0, index), '--', ...args.slice(index)];
  },
  async run(invocation) {
    const { call, options, out } = invocation;
    const reference = options.value('reference');
    const [text, ...rest] = invocation.operands;
    if (text === undefined) throw new UsageError('missing operand');
    const names = reference === undefined ? rest : invocation.operands;
    if (names.length === 0) throw new UsageError(`missing operand after ${quoteName(text)}`);
    let change: ModeChange | undefined;
    if (reference === undefined) change = parseMode(text);
    else {
      const { mode } = call.files.stat(pathOf(call, reference));
      change = () => mode & 0o7777;
    }
    if (change === undefined) throw new ProgramError(`invalid mode: ${quoteName(text)}`, { isUsage: true });
    const apply = change;
    const isQuiet = options.has('quiet');
    const warn = isQuiet ? async () => {} : invocation.warn;
    const isDone = await eachFile({ ...invocation, warn }, names, {
      isRecursive: options.has('recursive'),
      followsOperands: true,
      failing: 'cannot access',
      visit: (name, { mode }) => {
        if (isSymlink(mode)) return;
        const before = mode & 0o7777;
        const after = apply(mode, { isDirectory: isDirectory(mode), umask: call.umask });
        call.files.chmod(pathOf(call, name), after);
        if (options.has('verbose') || (options.has('changes') && after !== before)) {
          const [old, changed] = [before, after].map(
            (bits) => `${bits.toString(8).padStart(4, '0')} (${modeText(bits | (mode & 0o170000)).slice(1)})`,
          );
          out.add(
            before === after
              ? `mode of ${quoteName(name)} retained as ${old}\n`
              : `mode of ${quoteName(name)} changed from ${old} to ${changed}\n`,
          );
        }
      },
    });
    return isDone ? 0 : 1;
  },
});
