import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import type { OptionForm, OptionTable } from '../command-line/option-table.ts';
import { parseOptions } from '../command-line/parse-options.ts';
import { UsageError } from '../messages/program-error.ts';
import type { Program } from '../program.ts';

/** Exit code of `getopt --test`, by which scripts know this one from those that cannot quote. */
const testStatus = 4;

/** `getopt`: puts the arguments of a script in order, quoted such that the shell reads them again (util-linux's). */
export const getopt: Program = defineProgram({
  usage:
    'optstring parameters, or [OPTION]... [--] optstring parameters, or -o optstring [OPTION]... [--] parameters',
  summary: 'Parse command options.',
  permutes: false,
  usageStatus: 2,
  options: {
    alternative: '-a, --alternative  allow long options starting with single - (not supported)',
    long: '-l, --longoptions=LONGOPTS  the long options to be recognized',
    name: '-n, --name=PROGNAME  the name under which errors are reported',
    short: '-o, --options=OPTSTRING  the short options to be recognized',
    quiet: '-q, --quiet  disable error reporting by getopt(3)',
    silent: '-Q, --quiet-output  no normal output',
    shell: '-s, --shell=SHELL  set quoting conventions to those of SHELL',
    test: '-T, --test  test for getopt(1) version',
    unquoted: '-u, --unquoted  do not quote the output',
  },
  async run({ options, operands, out, call }) {
    if (options.has('test')) return testStatus;
    const isOld = !call.args[0]?.startsWith('-');
    const letters = options.value('short') ?? operands[0];
    if (letters === undefined) throw new UsageError('missing optstring argument');
    const given = options.has('short') ? operands : operands.slice(1);
    const quoted = isOld || options.has('unquoted') ? (text: ShellText) => text : quote;
    try {
      const table = tableOf(letters, options.values('long'));
      const parsed = parseOptions(given, table, {
        permutes: !letters.startsWith('+') && !call.environment.has('POSIXLY_CORRECT'),
      });
      const words = parsed.given.flatMap(({ key, value }) => {
        const form = key.length > 1 ? table.longs.get(key) : (table.shorts.get(key) ?? table.longs.get(key));
        return form?.argument === 'none' ? [shown(key)] : [shown(key), quoted(value ?? '')];
      });
      const line = [...words, '--', ...parsed.operands.map(quoted)].join(' ');
      if (!options.has('silent')) out.add(` ${line}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      const name = options.value('name') ?? call.name;
      const bytes = new TextEncoder().encode(`${name}: ${error.message}\n`);
      if (!options.has('quiet')) await call.stderr.write(bytes, call.signal);
      return 1;
    }
  },
});

function shown(key: string): string {
  return key.length > 1 ? `--${key}` : `-${key}`;
}

function quote(text: ShellText): ShellText {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** What `a:bc::` and `one,two:` say. An optional argument that is not given is an empty word. */
function tableOf(letters: string, longs: readonly string[]): OptionTable {
  const shortForms = letters.replace(/^[+-]/, '').match(/[^:]:{0,2}/g) ?? [];
  const longForms = longs.flatMap((list) => list.split(/[,\s]+/)).filter((form) => form !== '');
  return {
    forms: [],
    shorts: new Map(shortForms.map((form) => entryOf(form))),
    longs: new Map(longForms.map((form) => entryOf(form))),
  };
}

function entryOf(form: string): [string, OptionForm] {
  const [, name = '', colons = ''] = /^(.*?)(:{0,2})$/.exec(form) ?? [];
  const argument = colons === '' ? 'none' : colons === ':' ? 'required' : 'optional';
  return [name, { key: name, argument, shorts: [], longs: [], synopsis: '', description: '' }];
}
