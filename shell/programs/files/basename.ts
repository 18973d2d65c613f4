import { defineProgram } from '../command-line/define-program.ts';
import { UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { baseName, directoryName } from '../paths/path-names.ts';
import type { Program } from '../program.ts';

export const basename: Program = defineProgram({
  usage: 'NAME [SUFFIX]\n  or:  basename OPTION... NAME...',
  summary: 'Print NAME with any leading directory components removed.',
  options: {
    multiple: '-a, --multiple  support multiple arguments and treat each as a NAME',
    suffix: '-s, --suffix=SUFFIX  remove a trailing SUFFIX; implies -a',
    zero: '-z, --zero  end each output line with NUL, not newline',
  },
  permutes: false,
  async run({ options, operands, out }) {
    const [first, second, third] = operands;
    if (first === undefined) throw new UsageError('missing operand');
    const isMultiple = options.has('multiple', 'suffix');
    if (!isMultiple && third !== undefined) throw new UsageError(`extra operand ${quoteName(third)}`);
    const suffix = isMultiple ? (options.value('suffix') ?? '') : (second ?? '');
    for (const name of isMultiple ? operands : [first]) {
      const base = baseName(name);
      const isCut = suffix !== '' && base !== suffix && base.endsWith(suffix);
      out.add(`${isCut ? base.slice(0, -suffix.length) : base}${options.has('zero') ? '\0' : '\n'}`);
    }
    return 0;
  },
});

export const dirname: Program = defineProgram({
  usage: '[OPTION] NAME...',
  summary: 'Output each NAME with its last non-slash component and trailing slashes removed.',
  options: { zero: '-z, --zero  end each output line with NUL, not newline' },
  async run({ options, operands, out }) {
    if (operands.length === 0) throw new UsageError('missing operand');
    for (const name of operands) out.add(`${directoryName(name)}${options.has('zero') ? '\0' : '\n'}`);
    return 0;
  },
});
