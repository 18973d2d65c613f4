import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';

/** What `getconf` knows (limits.h of Linux). */
const configuration: Readonly<Record<string, string>> = {
  ARG_MAX: '2097152',
  CHAR_BIT: '8',
  CHILD_MAX: '512',
  CLK_TCK: '100',
  HOST_NAME_MAX: '64',
  INT_MAX: '2147483647',
  INT_MIN: '-2147483648',
  LINE_MAX: '2048',
  LINK_MAX: '65000',
  LONG_BIT: '64',
  LONG_MAX: '9223372036854775807',
  NAME_MAX: '255',
  NGROUPS_MAX: '65536',
  OPEN_MAX: '1024',
  PAGESIZE: '4096',
  PAGE_SIZE: '4096',
  PATH: '/bin:/usr/bin',
  PATH_MAX: '4096',
  PIPE_BUF: '4096',
  SYMLINK_MAX: '4095',
  TZNAME_MAX: '',
  UINT_MAX: '4294967295',
  ULONG_MAX: '18446744073709551615',
  WORD_BIT: '32',
  _NPROCESSORS_CONF: '1',
  _NPROCESSORS_ONLN: '1',
  _POSIX_VERSION: '200809',
  _PHYS_PAGES: '262144',
  GNU_LIBC_VERSION: 'glibc 2.36',
};

export const getconf: Program = defineProgram({
  usage: '[-v SPEC] VAR [PATH]',
  summary: 'Get the configuration value for variable VAR, or of variable PATH_VAR for path PATH.',
  options: { all: '-a  print all', specification: '-v SPEC  (ignored)' },
  async run({ options, operands, out }) {
    if (options.has('all')) {
      for (const [name, value] of Object.entries(configuration)) out.add(`${name.padEnd(34)} ${value}\n`);
      return 0;
    }
    const [name] = operands;
    if (name === undefined) throw new UsageError('missing operand');
    if (!Object.hasOwn(configuration, name))
      throw new ProgramError(
        `Unrecognized variable ${quoteName(name).replaceAll("'", '`').replace(/`$/, "'")}`,
        { status: 2 },
      );
    out.add(`${configuration[name] || 'undefined'}\n`);
    return 0;
  },
});

const categories = [
  'CTYPE',
  'NUMERIC',
  'TIME',
  'COLLATE',
  'MONETARY',
  'MESSAGES',
  'PAPER',
  'NAME',
  'ADDRESS',
  'TELEPHONE',
  'MEASUREMENT',
  'IDENTIFICATION',
];

export const locale: Program = defineProgram({
  usage: '[-a|-m] [NAME]...',
  summary: 'Get locale-specific information.',
  options: {
    all: '-a, --all-locales  write names of available locales',
    charmaps: '-m, --charmaps  write names of available charmaps',
  },
  async run({ call, options, operands, out }) {
    if (options.has('all')) out.add('C\nC.utf8\nPOSIX\n');
    else if (options.has('charmaps')) out.add('ANSI_X3.4-1968\nUTF-8\n');
    else if (operands[0] === 'charmap') out.add('UTF-8\n');
    else if (operands.length === 0) {
      const { environment } = call;
      const all = environment.get('LC_ALL') ?? '';
      const language = environment.get('LANG') ?? '';
      out.add(`LANG=${language}\nLANGUAGE=${environment.get('LANGUAGE') ?? ''}\n`);
      for (const category of categories) {
        const own = environment.get(`LC_${category}`);
        out.add(`LC_${category}=${all === '' && own ? own : `"${all || language || 'POSIX'}"`}\n`);
      }
      out.add(`LC_ALL=${all}\n`);
    }
    return 0;
  },
});

export const tty: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Print the file name of the terminal connected to standard input.',
  usageStatus: 2,
  options: { silent: '-s, --silent, --quiet  print nothing, only return an exit status' },
  async run({ call, options, out }) {
    const isTerminal = call.stdin.isTerminal ?? false;
    if (!options.has('silent')) out.add(isTerminal ? `${call.stdin.path ?? '/dev/tty'}\n` : 'not a tty\n');
    return isTerminal ? 0 : 1;
  },
});

export const clear: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Clear the terminal screen.',
  options: { keep: '-x  do not clear the scrollback', terminal: '-T TERM  (ignored)' },
  async run({ options, out }) {
    out.add(options.has('keep') ? '\x1b[H\x1b[2J' : '\x1b[H\x1b[2J\x1b[3J');
    return 0;
  },
});

export const reset: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Reset the terminal.',
  async run({ out }) {
    out.add('\x1bc\x1b[!p\x1b[?3;4l\x1b[4l\x1b>');
    return 0;
  },
});

export const sync: Program = defineProgram({
  usage: '[OPTION] [FILE]...',
  summary:
    'Synchronize cached writes to persistent storage. Here it waits for nothing: the sandbox stores on its own.',
  options: {
    data: '-d, --data  sync only file data',
    fileSystem: '-f, --file-system  sync the file systems that contain the files',
  },
  async run() {
    return 0;
  },
});
