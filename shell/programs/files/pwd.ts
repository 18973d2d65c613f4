import { defineProgram } from '../command-line/define-program.ts';
import type { Program } from '../program.ts';

export const pwd: Program = defineProgram({
  usage: '[OPTION]...',
  summary: 'Print the full filename of the current working directory.',
  options: {
    logical: '-L, --logical  use PWD from environment, even if it contains symlinks',
    physical: '-P, --physical  avoid all symlinks',
  },
  async run({ call, options, out }) {
    const physical = call.files.realpath(call.cwd);
    const logical = call.environment.get('PWD') ?? '';
    const isLogical = options.last('logical', 'physical') === 'logical' && leadsTo(logical, physical);
    out.add(`${isLogical ? logical : physical}\n`);
    return 0;

    function leadsTo(path: string, directory: string): boolean {
      const isPlain = path.startsWith('/') && !/(^|\/)\.\.?(\/|$)/.test(path);
      return isPlain && call.files.exists(path) && call.files.realpath(path) === directory;
    }
  },
});
