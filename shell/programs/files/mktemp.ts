import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { pathOf } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import type { Program } from '../program.ts';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const mostTries = 100;

export const mktemp: Program = defineProgram({
  usage: '[OPTION]... [TEMPLATE]',
  summary: 'Create a temporary file or directory, safely, and print its name.',
  options: {
    directory: '-d, --directory  create a directory, not a file',
    dryRun: '-u, --dry-run  do not create anything; merely print a name (unsafe)',
    quiet: '-q, --quiet  suppress diagnostics about file/dir-creation failure',
    suffix: '--suffix=SUFF  append SUFF to TEMPLATE',
    tmpdir: '--tmpdir[=DIR]  interpret TEMPLATE relative to DIR',
    parent: '-p DIR  interpret TEMPLATE relative to DIR',
    named: '-t  interpret TEMPLATE as a single file name component, relative to a directory',
  },
  async run({ call, options, operands, out }) {
    if (operands.length > 1) throw new UsageError('too many templates');
    const given = operands[0];
    const template = given ?? 'tmp.XXXXXXXXXX';
    const suffix = options.value('suffix') ?? /X([^X]*)$/.exec(template)?.[1] ?? '';
    const stem = options.has('suffix') ? template : template.slice(0, template.length - suffix.length);
    const [marks = ''] = /X*$/.exec(stem) ?? [];
    if (marks.length < 3)
      throw new ProgramError(
        `too few X's in template ${quoteName(options.has('suffix') ? template + suffix : template)}`,
      );
    const temporary = call.environment.get('TMPDIR') || '/tmp';
    const isPlaced = options.has('parent', 'tmpdir', 'named') || given === undefined;
    const directory = options.has('named')
      ? call.environment.get('TMPDIR') || options.value('parent') || temporary
      : (options.value('parent') ?? options.value('tmpdir') ?? temporary);
    if (isPlaced && given?.startsWith('/')) {
      throw new ProgramError(
        `invalid template, ${quoteName(template)}; with --tmpdir, it may not be absolute`,
      );
    }
    const prefix = stem.slice(0, stem.length - marks.length);
    for (let tries = 0; ; tries++) {
      const name = `${prefix}${randomLetters(marks.length)}${suffix}`;
      const path: ShellText = isPlaced ? joinPath(directory, name) : name;
      try {
        if (!options.has('dryRun')) make(path);
        out.add(`${path}\n`);
        return 0;
      } catch (error) {
        if (!(error instanceof ShellError)) throw error;
        if (error.code === 'EEXIST' && tries < mostTries) continue;
        if (options.has('quiet')) return 1;
        const kind = options.has('directory') ? 'directory' : 'file';
        const shown = isPlaced ? joinPath(directory, template) : template;
        throw new ProgramError(`failed to create ${kind} via template ${quoteName(shown)}: ${error.message}`);
      }
    }

    function make(name: ShellText): void {
      const path = pathOf(call, name);
      if (options.has('directory')) call.files.mkdir(path, call, 0o700);
      else {
        call.files
          .open(path, { write: true, create: true, exclusive: true }, { ...call, umask: 0o177 })
          .release();
      }
    }
  },
});

function randomLetters(count: number): string {
  const bytes = crypto.getRandomValues(new Uint8Array(count));
  return [...bytes].map((byte) => letters[byte % letters.length]).join('');
}
