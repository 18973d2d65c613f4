import { Accounts } from '../attributes/accounts.ts';
import { parseMode } from '../attributes/mode-change.ts';
import { attempt, defineProgram } from '../command-line/define-program.ts';
import { ProgramError, UsageError } from '../messages/program-error.ts';
import { quoteName } from '../messages/quote-name.ts';
import { isDirectoryOperand, pathOf } from '../paths/operands.ts';
import { directoryName } from '../paths/path-names.ts';
import type { Program } from '../program.ts';
import { TreeCopier } from './copy-tree.ts';
import { transfersOf } from './destination.ts';

export const install: Program = defineProgram({
  usage:
    '[OPTION]... [-T] SOURCE DEST\n  or:  install [OPTION]... SOURCE... DIRECTORY\n  or:  install [OPTION]... -d DIRECTORY...',
  summary: 'Copy files and set attributes.',
  options: {
    ignored: '-c  (ignored)',
    compare: '-C, --compare  compare content of source and destination files (ignored)',
    directories: '-d, --directory  treat all arguments as directory names; create all components of them',
    leading: '-D  create all leading components of DEST except the last, then copy SOURCE to DEST',
    group: '-g, --group=GROUP  set group ownership, instead of process current group',
    mode: '-m, --mode=MODE  set permission mode (as in chmod), instead of rwxr-xr-x',
    owner: '-o, --owner=OWNER  set ownership (super-user only)',
    times:
      '-p, --preserve-timestamps  apply access/modification times of SOURCE files to corresponding destination files',
    strip: '-s, --strip  strip symbol tables (ignored)',
    target: '-t, --target-directory=DIRECTORY  copy all SOURCE arguments into DIRECTORY',
    noTarget: '-T, --no-target-directory  treat DEST as a normal file',
    verbose: '-v, --verbose  print the name of each created file or directory',
  },
  async run(invocation) {
    const { call, options, operands, out } = invocation;
    const accounts = new Accounts(call.files);
    const text = options.value('mode') ?? '755';
    const change = parseMode(text);
    if (change === undefined) throw new ProgramError(`invalid mode ${quoteName(text)}`);
    const owner = options.value('owner');
    const group = options.value('group');
    const uid = owner === undefined ? undefined : (accounts.userNamed(owner)?.uid ?? Number(owner));
    const gid = group === undefined ? undefined : (accounts.groupNamed(group)?.gid ?? Number(group));
    if (Number.isNaN(uid)) throw new ProgramError(`invalid user ${quoteName(owner ?? '')}`);
    if (Number.isNaN(gid)) throw new ProgramError(`invalid group ${quoteName(group ?? '')}`);
    const setAttributes = (name: string, isDirectory: boolean) => {
      const path = pathOf(call, name);
      call.files.chown(path, { ...(uid !== undefined && { uid }), ...(gid !== undefined && { gid }) });
      call.files.chmod(path, change(0, { isDirectory, umask: 0 }));
    };
    const makeDirectories = (name: string) => {
      const names = name.split('/');
      for (let count = 1; count <= names.length; count++) {
        const parent = names.slice(0, count).join('/');
        if (parent === '' || isDirectoryOperand(call, parent)) continue;
        call.files.mkdir(pathOf(call, parent), { ...call, umask: 0o22 }, 0o755);
        if (options.has('verbose')) out.add(`${call.name}: creating directory ${quoteName(parent)}\n`);
      }
    };
    let status = 0;
    if (options.has('directories')) {
      if (operands.length === 0) throw new UsageError('missing file operand');
      for (const name of operands) {
        const isDone = await attempt(invocation, `cannot create directory ${quoteName(name)}`, () => {
          makeDirectories(name);
          setAttributes(name, true);
        });
        if (!isDone) status = 1;
      }
      return status;
    }
    const target = options.value('target');
    if (options.has('leading')) {
      const directory = target ?? directoryName(operands.at(-1) ?? '.');
      await attempt(invocation, `cannot create directory ${quoteName(directory)}`, () =>
        makeDirectories(directory),
      );
    }
    const copier = new TreeCopier(invocation, {
      isRecursive: false,
      follows: 'all',
      keepsMode: false,
      keepsOwner: false,
      keepsTimes: options.has('times'),
      keepsLinks: false,
      overwrites: 'always',
      removes: 'first',
      makes: 'copies',
      isVerbose: options.has('verbose'),
    });
    const rules = { targetDirectory: target, isNotDirectory: options.has('noTarget') };
    for (const { from, to } of transfersOf(call, operands, rules)) {
      if (isDirectoryOperand(call, from)) {
        await invocation.warn(`omitting directory ${quoteName(from)}`);
        status = 1;
      } else if (await copier.copy(from, to)) setAttributes(to, false);
      else status = 1;
    }
    return status;
  },
});
