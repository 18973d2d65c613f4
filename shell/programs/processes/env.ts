import { absolutePath } from '../../files/tree-files.ts';
import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { runCommand } from '../command-line/run-command.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { splitString } from './split-string.ts';

export const env: Program = defineProgram({
  usage: '[OPTION]... [-] [NAME=VALUE]... [COMMAND [ARG]...]',
  summary: 'Set each NAME to VALUE in the environment and run COMMAND.',
  usageStatus: 125,
  permutes: false,
  options: {
    ignore: '-i, --ignore-environment  start with an empty environment',
    zero: '-0, --null  end each output line with NUL, not newline',
    unset: '-u, --unset=NAME  remove variable from the environment',
    directory: '-C, --chdir=DIR  change working directory to DIR',
    split: '-S, --split-string=S  process and split S into separate arguments',
    debug: '-v, --debug  print verbose information for each processing step',
  },
  rewrite: (args) => {
    const at = args.findIndex(
      (argument) => !argument.startsWith('-') || /^(-[iv0]*S|--split-string)/.test(argument),
    );
    const found = at < 0 ? '' : (args[at] ?? '');
    const [, flags = '', text] = /^(?:-([iv0]*)S|--split-string(?:=|$))([\s\S]*)$/.exec(found) ?? [];
    if (text === undefined) return args;
    const hasNext = text === '';
    const words = splitString(hasNext ? (args[at + 1] ?? '') : text);
    return [
      ...args.slice(0, at),
      ...[...flags].map((flag) => `-${flag}`),
      ...words,
      ...args.slice(at + (hasNext ? 2 : 1)),
    ];
  },
  async run(invocation) {
    const { call, options, out } = invocation;
    const operands = [...invocation.operands];
    const isEmpty = options.has('ignore') || operands[0] === '-';
    if (operands[0] === '-') operands.shift();
    const environment = new Map(isEmpty ? [] : call.environment);
    for (const name of options.values('unset')) {
      if (name === '' || name.includes('='))
        throw new ProgramError(`cannot unset ${quoteName(name)}: Invalid argument`, { status: 125 });
      environment.delete(name);
    }
    for (let word = operands[0]; word?.includes('='); word = operands[0]) {
      const equals = word.indexOf('=');
      environment.set(word.slice(0, equals), word.slice(equals + 1));
      operands.shift();
    }
    const directory = options.value('directory');
    if (operands.length === 0) {
      if (directory !== undefined) throw new UsageError('must specify command with --chdir (-C)');
      for (const [name, value] of environment)
        out.add(`${name}=${value}${options.has('zero') ? '\0' : '\n'}`);
      return 0;
    }
    if (options.has('zero')) throw new UsageError('cannot specify --null (-0) with command');
    let { cwd } = call;
    if (directory !== undefined) cwd = changed(directory);
    return runCommand(invocation, operands, { options: { environment, cwd } });

    function changed(to: ShellText): ShellText {
      try {
        const path = call.files.realpath(absolutePath(call.cwd, to));
        call.files.readdir(path);
        return path;
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        throw new ProgramError(`cannot change directory to ${quoteName(to)}: ${error.message}`, {
          status: 125,
        });
      }
    }
  },
});

export const printenv: Program = defineProgram({
  usage: '[OPTION]... [VARIABLE]...',
  summary: 'Print the values of the specified environment VARIABLE(s), or all.',
  usageStatus: 2,
  permutes: false,
  options: { zero: '-0, --null  end each output line with NUL, not newline' },
  async run({ call, options, operands, out }) {
    const end = options.has('zero') ? '\0' : '\n';
    if (operands.length === 0) {
      for (const [name, value] of call.environment) out.add(`${name}=${value}${end}`);
      return 0;
    }
    let status = 0;
    for (const name of operands) {
      const value = call.environment.get(name);
      if (value === undefined) status = 1;
      else out.add(`${value}${end}`);
    }
    return status;
  },
});
