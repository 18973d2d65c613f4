import { isFile } from '../../../tree/live/file-mode.ts';
import type { ShellText } from '../../text.ts';
import { defineProgram } from '../command-line/define-program.ts';
import { pathOf } from '../paths/operands.ts';
import { joinPath } from '../paths/path-names.ts';
import type { Program, ProgramCall } from '../program.ts';

export const which: Program = defineProgram({
  usage: '[-a] COMMAND...',
  summary: 'Locate a command.',
  options: {
    all: '-a, --all  print all matching pathnames of each argument',
    silent: '-s  no output, just return 0 if found',
  },
  async run({ call, options, operands, out }) {
    if (operands.length === 0) return 1;
    let status = 0;
    for (const name of operands) {
      const found = [...new Set(places(call, name))];
      if (found.length === 0) status = 1;
      if (!options.has('silent'))
        for (const path of options.has('all') ? found : found.slice(0, 1)) out.add(`${path}\n`);
    }
    return status;
  },
});

function* places(call: ProgramCall, name: ShellText): Generator<ShellText> {
  const isExecutable = (path: ShellText) => {
    if (!call.files.exists(pathOf(call, path))) return false;
    const { mode } = call.files.stat(pathOf(call, path));
    return isFile(mode) && (mode & 0o111) !== 0;
  };
  if (name.includes('/')) {
    if (isExecutable(name)) yield name;
    return;
  }
  const path = call.environment.get('PATH');
  const first = call.find?.(name, path);
  if (first !== undefined) yield first;
  for (const directory of (path ?? '').split(':')) {
    const candidate = joinPath(directory || '.', name);
    if (isExecutable(candidate)) yield candidate;
  }
}
