import { ShellError } from '../../shell-error.ts';
import type { ShellText } from '../../text.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { UsageError } from '../messages/program-error.ts';
import { nameInMessage } from '../messages/quote-name.ts';
import { canonicalPath, type Existence } from '../paths/canonical-path.ts';
import { pathOf } from '../paths/operands.ts';
import { relativePath } from '../paths/relative-path.ts';
import type { Program } from '../program.ts';

export const readlink: Program = defineProgram({
  usage: '[OPTION]... FILE...',
  summary: 'Print value of a symbolic link or canonical file name',
  options: {
    'all-but-last':
      '-f, --canonicalize  canonicalize by following every symlink; all but the last component must exist',
    all: '-e, --canonicalize-existing  canonicalize by following every symlink; all components must exist',
    none: '-m, --canonicalize-missing  canonicalize by following every symlink, without requirements on existence',
    noNewline: '-n, --no-newline  do not output the trailing delimiter',
    quiet: '-q, --quiet, -s, --silent  suppress most error messages',
    verbose: '-v, --verbose  report error messages',
    zero: '-z, --zero  end each output line with NUL, not newline',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    const existence: Existence | undefined = options.last('all-but-last', 'all', 'none');
    const end = options.has('zero') ? '\0' : '\n';
    const warn = options.last('verbose', 'quiet') === 'verbose' ? invocation.warn : async () => {};
    let status = 0;
    for (const name of operands) {
      const isDone = await attempt({ warn }, nameInMessage(name), () => {
        const path = pathOf(call, name);
        if (path === '') throw new ShellError('ENOENT');
        const shown = existence ? canonicalPath(call.files, path, { existence }) : call.files.readlink(path);
        out.add(`${shown}${options.has('noNewline') && operands.length === 1 ? '' : end}`);
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

export const realpath: Program = defineProgram({
  usage: '[OPTION]... FILE...',
  summary: 'Print the resolved absolute file name; all but the last component must exist',
  options: {
    all: '-e, --canonicalize-existing  all components of the path must exist',
    none: '-m, --canonicalize-missing  no path components need exist or be a directory',
    logical: "-L, --logical  resolve '..' components before symlinks",
    physical: '-P, --physical  resolve symlinks as encountered (default)',
    quiet: '-q, --quiet  suppress most error messages',
    relativeTo: '--relative-to=DIR  print the resolved path relative to DIR',
    relativeBase: '--relative-base=DIR  print absolute paths unless paths below DIR',
    noSymlinks: "-s, --strip, --no-symlinks  don't expand symlinks",
    zero: '-z, --zero  end each output line with NUL, not newline',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    if (operands.length === 0) throw new UsageError('missing operand');
    const existence: Existence = options.last('all', 'none') ?? 'all-but-last';
    const followsLinks = !options.has('noSymlinks');
    const canonical = (name: ShellText) => {
      if (name === '') throw new ShellError('ENOENT');
      const path = pathOf(call, name);
      return canonicalPath(call.files, options.has('logical') ? withoutParents(path) : path, {
        existence,
        followsLinks,
      });
    };
    const base = options.value('relativeBase');
    const to = options.value('relativeTo') ?? base;
    const warn = options.has('quiet') ? async () => {} : invocation.warn;
    let status = 0;
    for (const name of operands) {
      const isDone = await attempt({ warn }, nameInMessage(name), () => {
        const path = canonical(name);
        const root = base === undefined ? undefined : canonical(base);
        const isRelative = to !== undefined && (root === undefined || isBelow(root, path));
        out.add(
          `${isRelative ? relativePath(canonical(to), path) : path}${options.has('zero') ? '\0' : '\n'}`,
        );
      });
      if (!isDone) status = 1;
    }
    return status;
  },
});

function isBelow(directory: ShellText, path: ShellText): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

function withoutParents(path: ShellText): ShellText {
  const names: ShellText[] = [];
  for (const name of path.split('/')) {
    if (name === '..') names.pop();
    else if (name !== '') names.push(name);
  }
  return `/${names.join('/')}`;
}
