import { absolutePath } from '../../files/tree-files.ts';
import type { ShellText } from '../../text.ts';
import { attempt, defineProgram, type Invocation } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import type { Program } from '../program.ts';
import { TreeCopier } from './copy-tree.ts';
import { transfersOf } from './destination.ts';

export const cp: Program = defineProgram({
  usage: '[OPTION]... [-T] SOURCE DEST\n  or:  cp [OPTION]... SOURCE... DIRECTORY',
  summary: 'Copy SOURCE to DEST, or multiple SOURCE(s) to DIRECTORY.',
  options: {
    archive: '-a, --archive  same as -dR --preserve=all',
    attributesOnly: "--attributes-only  don't copy the file data, just the attributes",
    noDereference: '-P, --no-dereference  never follow symbolic links in SOURCE',
    links: '-d  same as --no-dereference --preserve=links',
    force: '-f, --force  if an existing destination file cannot be opened, remove it and try again',
    interactive: '-i, --interactive  prompt before overwrite',
    operandLinks: '-H  follow command-line symbolic links in SOURCE',
    hardLink: '-l, --link  hard link files instead of copying',
    dereference: '-L, --dereference  always follow symbolic links in SOURCE',
    noClobber: '-n, --no-clobber  do not overwrite an existing file',
    preserveUsual: '-p  same as --preserve=mode,ownership,timestamps',
    preserve: '--preserve[=ATTR_LIST]  preserve the specified attributes',
    noPreserve: "--no-preserve=ATTR_LIST  don't preserve the specified attributes",
    parents: '--parents  use full source file name under DIRECTORY',
    recursive: '-R, -r, --recursive  copy directories recursively',
    reflink: '--reflink[=WHEN]  (ignored)',
    removeDestination:
      '--remove-destination  remove each existing destination file before attempting to open it',
    sparse: '--sparse=WHEN  (ignored)',
    symbolicLink: '-s, --symbolic-link  make symbolic links instead of copying',
    slashes: '--strip-trailing-slashes  remove any trailing slashes from each SOURCE argument',
    target: '-t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY',
    noTarget: '-T, --no-target-directory  treat DEST as a normal file',
    update: '-u, --update  copy only when the SOURCE file is newer than the destination file',
    verbose: '-v, --verbose  explain what is being done',
    oneFileSystem: '-x, --one-file-system  stay on this file system',
  },
  async run(invocation) {
    const { call, options } = invocation;
    const kept = keptAttributes(options.given);
    const isArchive = options.has('archive');
    const isRecursive = options.has('recursive', 'archive');
    const linkStyle = options.last('noDereference', 'links', 'dereference', 'operandLinks', 'archive');
    const follows =
      linkStyle === 'dereference'
        ? 'all'
        : linkStyle === 'operandLinks'
          ? 'operands'
          : linkStyle || isRecursive
            ? 'none'
            : 'all';
    const overwriting = options.last('interactive', 'noClobber');
    const copier = new TreeCopier(invocation, {
      isRecursive,
      follows,
      keepsMode: isArchive || kept.has('mode'),
      keepsOwner: isArchive || kept.has('ownership'),
      keepsTimes: isArchive || kept.has('timestamps'),
      keepsLinks: isArchive || options.has('links') || kept.has('links'),
      overwrites:
        overwriting === 'noClobber'
          ? 'never'
          : overwriting
            ? 'ask'
            : options.has('update')
              ? 'newer'
              : 'always',
      removes: options.has('removeDestination') ? 'first' : options.has('force') ? 'on-failure' : 'never',
      makes: options.has('hardLink') ? 'hard-links' : options.has('symbolicLink') ? 'symlinks' : 'copies',
      isVerbose: options.has('verbose'),
    });
    const strips = options.has('slashes');
    const operands = invocation.operands.map((name) => (strips ? name.replace(/(?<=.)\/+$/, '') : name));
    const transfers = transfersOf(call, operands, {
      targetDirectory: options.value('target'),
      isNotDirectory: options.has('noTarget'),
      keepsParents: options.has('parents'),
    });
    if (options.has('parents') && !transfers.every(({ from, to }) => to !== operands.at(-1) || from === to)) {
      throw new UsageError('with --parents, the destination must be a directory');
    }
    let status = 0;
    const destinations = new Set<ShellText>();
    for (const { from, to } of transfers) {
      const path = absolutePath(call.cwd, to);
      if (destinations.has(path) && transfers.length > 1) {
        await invocation.warn(`will not overwrite just-created ${quoteName(to)} with ${quoteName(from)}`);
        status = 1;
        continue;
      }
      destinations.add(path);
      if (options.has('parents')) await makeParents(invocation, to);
      if (!(await copier.copy(from, to))) status = 1;
    }
    return status;
  },
});

const usual = ['mode', 'ownership', 'timestamps'];
const known = [...usual, 'links', 'context', 'xattr', 'all'];

function keptAttributes(given: readonly { key: string; value: ShellText | undefined }[]): Set<string> {
  const kept = new Set<string>();
  for (const { key, value } of given) {
    if (key === 'preserveUsual') for (const name of usual) kept.add(name);
    if (key !== 'preserve' && key !== 'noPreserve') continue;
    for (const name of value?.split(',') ?? usual) {
      if (!known.includes(name)) {
        throw new ProgramError(`invalid argument ${quoteName(name)} for '--preserve'`, { isUsage: true });
      }
      for (const each of name === 'all' ? known : [name]) {
        if (key === 'preserve') kept.add(each);
        else kept.delete(each);
      }
    }
  }
  return kept;
}

async function makeParents(
  { call, warn }: Pick<Invocation<never>, 'call' | 'warn'>,
  to: ShellText,
): Promise<void> {
  const names = to.split('/').slice(0, -1);
  for (let count = 1; count <= names.length; count++) {
    const parent = names.slice(0, count).join('/');
    const path = absolutePath(call.cwd, parent);
    if (parent === '' || call.files.exists(path)) continue;
    await attempt({ warn }, `cannot make directory ${quoteName(parent)}`, () => call.files.mkdir(path, call));
  }
}
